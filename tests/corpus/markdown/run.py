"""Run the corpus beside this file against any reader.

Usage: python run.py COMMAND [ARGUMENT…]

COMMAND is started once. For each case it gets one line of JSON, ``{"function": …, "input": …}``, and answers with one
line of JSON: an object with at least the keys of the case's ``expect``, or ``null`` for a function that it does not
have. Prints every difference and a summary; exits 1 if there are differences.
"""

import contextlib
import json
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent


def cases():
    """Every case of the corpus, with the function that it is about and the name of its file."""
    for path in sorted(HERE.glob("*.toml")):
        table = tomllib.loads(path.read_text("utf-8"))
        for case in table["case"]:
            yield {"file": path.name, "function": table["function"], **case}


def differences(case, answer):
    """The keys in which ``answer`` is not what ``case`` expects, with both values."""
    return {
        key: {"expected": expected, "found": answer.get(key)}
        for key, expected in case["expect"].items()
        if answer.get(key) != expected
    }


def start(command):
    """The reader; without buffers, so that nothing is left to be written to one that has ended."""
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


def ask(reader, case):
    """What the reader answers to ``case``."""
    line = b""
    with contextlib.suppress(BrokenPipeError):
        reader.stdin.write(json.dumps({"function": case["function"], "input": case["input"]}).encode() + b"\n")
        line = reader.stdout.readline()
    with contextlib.suppress(ValueError):
        answer = json.loads(line)
        if answer is None or isinstance(answer, dict):
            return answer
    reader.kill()
    came = line.decode(errors="replace")
    sys.exit(f"{case['file']}: {case['title']}: the answer is {came!r}; accepted is an object or null as JSON")


def main(command):
    passed, failed, without = 0, 0, 0
    with start(command) as reader:
        for case in cases():
            answer = ask(reader, case)
            if answer is None:
                without += 1
            elif found := differences(case, answer):
                failed += 1
                print(f"{case['file']}: {case['title']}")
                print(json.dumps({"input": case["input"], **found}, ensure_ascii=False, indent=2))
            else:
                passed += 1
        reader.stdin.close()
    print(f"{passed} passed, {failed} failed, {without} not answered")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))

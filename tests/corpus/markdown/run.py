"""Run the corpus beside this file against any reader.

Usage: python run.py COMMAND [ARGUMENT…]

COMMAND is started once. For each case it gets one line of JSON, ``{"function": …, "input": …}``, and answers with one
line of JSON: an object with at least the keys of the case's ``expect``, or ``null`` for a function that it does not
have. Prints every difference and a summary; exits 1 if there are differences.
"""

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


def main(command):
    passed, failed, without = 0, 0, 0
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as reader:
        for case in cases():
            reader.stdin.write(json.dumps({"function": case["function"], "input": case["input"]}) + "\n")
            reader.stdin.flush()
            line = reader.stdout.readline()
            if not line:
                sys.exit(f"{case['file']}: {case['title']}: no answer")
            answer = json.loads(line)
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

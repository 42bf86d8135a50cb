"""The corpus, run against our reader: in this process, and as another implementation would run it."""

import subprocess
import sys
from pathlib import Path

import pytest
from corpus.markdown.run import HERE, cases, differences
from support.markdown_reader import answer

CASES = list(cases())
TESTS = Path(__file__).parents[2]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{Path(case['file']).stem}: {case['title']}")
def test_a_case_of_the_corpus(case):
    assert differences(case, answer(case["function"], case["input"])) == {}


def test_no_two_cases_of_a_file_have_one_title():
    names = [(case["file"], case["title"]) for case in CASES]
    assert len(set(names)) == len(names)


def test_a_foreign_reader_can_be_run_against_the_corpus():
    command = [sys.executable, HERE / "run.py", sys.executable, TESTS / "support" / "markdown_reader.py"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (
        0,
        f"{len(CASES)} passed, 0 failed, 0 not answered\n",
        "",
    )


def test_what_a_foreign_reader_gets_wrong_is_shown():
    wrong = "import sys\nfor line in sys.stdin: print('{}' if 'decode' in line else 'null', flush=True)"
    result = subprocess.run(
        [sys.executable, HERE / "run.py", sys.executable, "-c", wrong], capture_output=True, text=True, check=False
    )
    decoding = sum(case["function"] == "decode" for case in CASES)
    assert result.returncode == 1
    assert "decode.toml: UTF-8 is text as it stands" in result.stdout
    assert result.stdout.endswith(f"0 passed, {decoding} failed, {len(CASES) - decoding} not answered\n")


@pytest.mark.parametrize(
    ("reader", "sentence"),
    [
        ([sys.executable, "-c", ""], "the answer is ''; accepted is an object or null as JSON"),
        ([sys.executable, "-c", "print([1])"], "accepted is an object or null as JSON"),
        (["no-such-reader"], "no-such-reader: No such file or directory"),
    ],
)
def test_what_is_no_reader_is_told_in_one_line(reader, sentence):
    result = subprocess.run([sys.executable, HERE / "run.py", *reader], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.endswith(f"{sentence}\n")
    assert result.stderr.count("\n") == 1

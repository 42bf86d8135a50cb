"""What units, comment stripping and ``fit`` cost beside markdown-it's block rules alone, and how that grows."""

from __future__ import annotations

import gc
import random
import sys
import time
from typing import TYPE_CHECKING
from unittest.mock import patch

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock

from context_common.budget import fit
from context_common.markdown.comments import strip_comments
from context_common.markdown.document import read_document
from context_common.markdown.mentions import mentions
from context_common.markdown.units import units
from context_common.provider import Draft, Part

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (10_000, 100_000, 1_000_000)
UNITS, STRIP, FIT = "units", "strip_comments, 3 comments per KB", "fit to half the tokens, with its parse"
GOALS = {UNITS: 1.4, STRIP: 3.0, FIT: 2.0}
GROWTH = 1.5
"""How much more a kilobyte may cost in a document of 1 MB than in one of 10 KB, the block rules' own growth aside."""
SENTENCES = (
    "Use the shared client for every call, and pass a timeout with it.",
    "Names say what a thing is for; a reader should not need its body.",
    "Run the checks with `make check` before you ask for a review.",
    "See [the guide](docs/guide.md) for the reasons behind this rule.",
    "Keep *one* concern in each module and [few lines][style] in it.",
)
COMMENT = "<!-- a note for those who edit this file -->"


def prose(choose: random.Random, sentences: int) -> str:
    return "\n".join(choose.choice(SENTENCES) for _ in range(sentences))


def document(size: int, comments_per_kilobyte: int = 0) -> str:
    """A convention file of ``size`` bytes; of its comments a third are in prose, the others blocks."""
    choose = random.Random(1)
    blocks = ["[style]: docs/style.md"]
    length = commented = 0
    while length < size:
        kind = choose.choices(("heading", "prose", "list", "fence", "quote", "table"), (15, 35, 25, 10, 8, 7))[0]
        block = {
            "heading": f"## Section {len(blocks)}",
            "prose": prose(choose, 4),
            "list": "\n".join(f"- {choose.choice(SENTENCES)}" for _ in range(4)),
            "fence": "```python\ndef f(x):\n    return x + 1\n\nprint(f(2))\n```",
            "quote": "> " + prose(choose, 2).replace("\n", "\n> "),
            "table": "| name | use |\n|---|---|\n| a | one |\n| b | another |",
        }[kind]
        while commented * 1024 < length * comments_per_kilobyte:
            commented += 1
            if commented % 3 == 0 and kind in ("prose", "list"):
                block = block.replace(" the ", f" {COMMENT} the ", 1)
            else:
                block = f"{COMMENT}\n\n{block}"
        blocks.append(block)
        length += len(block) + 2
    return "\n\n".join(blocks) + "\n"


def block_rules(text: str) -> None:
    """markdown-it's own block structure: the least that any of this can cost."""
    markdown = MarkdownIt("commonmark").enable("table")
    markdown.core.ruler.enableOnly(["normalize", "block"])
    markdown.parse(text)


def quarter_bytes(text: str) -> int:
    return (len(text.encode()) + 3) // 4


def fastest(measures: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The fastest of ``rounds`` runs of each measure, taken in turns, in seconds of this process."""
    times = dict.fromkeys(measures, float("inf"))
    for _ in range(rounds):
        for name, run in measures.items():
            gc.collect()
            start = time.process_time()
            run()
            times[name] = min(times[name], time.process_time() - start)
    return times


def measure(size: int) -> tuple[dict[str, float], float]:
    """Each measure's ratio to the block rules alone on the same text, and the seconds these took for it."""
    plain, commented = document(size), document(size, 3)
    draft = Draft("AGENTS.md (root)", (Part("AGENTS.md", plain),))
    budget = quarter_bytes(plain) // 2
    times = fastest(
        {
            "plain": lambda: block_rules(plain),
            UNITS: lambda: units(plain),
            FIT: lambda: fit([draft], budget, quarter_bytes),
            "commented": lambda: block_rules(commented),
            STRIP: lambda: strip_comments(commented),
        },
        rounds=max(7, 300_000 // size),
    )
    ratios = {name: times[name] / times["plain"] for name in (UNITS, FIT)}
    ratios[STRIP] = times[STRIP] / times["commented"]
    return ratios, times["plain"]


def parses_of_a_plain_file() -> int:
    """How often a file without comments, mentions and front matter that fits its budget is parsed."""
    text = document(100_000)
    with patch.object(ParserBlock, "parse") as parse:
        read = read_document(text.encode())
        mentions(read.text)
        fit([Draft("AGENTS.md (root)", (Part.of("AGENTS.md", read),))], len(text), quarter_bytes)
    return parse.call_count


def main() -> int:
    """Print the table; 1 where a promise is not kept."""
    results = {size: measure(size) for size in SIZES}
    print(
        "| measure | "
        + " | ".join("1 MB" if size == 1_000_000 else f"{size // 1000} KB" for size in SIZES)
        + " | promise at 1 MB |"
    )
    print("|---|" + "---|" * (len(SIZES) + 1))
    print("| block rules alone | " + " | ".join(f"{seconds * 1000:.1f} ms" for _, seconds in results.values()) + " | |")
    kept = True
    for name, goal in GOALS.items():
        ratios = [results[size][0][name] for size in SIZES]
        kept = kept and ratios[-1] <= goal and ratios[-1] <= ratios[0] * GROWTH
        print(f"| {name} | " + " | ".join(f"{ratio:.2f}x" for ratio in ratios) + f" | at most {goal}x |")
    parses = parses_of_a_plain_file()
    print(f"| parses of a plain file under budget | {parses} | {parses} | {parses} | 0 |")
    return 0 if kept and parses == 0 else 1


if __name__ == "__main__":
    sys.exit(main())

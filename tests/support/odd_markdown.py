"""Small Markdown documents made of what has gone wrong somewhere: the strategies of the properties."""

import itertools
import re

from hypothesis import strategies as st

COMMENTS = [
    "<!-- c -->",
    "<!-- c",
    "-->",
    "<!-- c --> w",
    "<!-- x\ny -->",
    "<!-- -->",
    "<!-->",
    "<!-- a --> <!-- b -->",
    "<!-- a --> `<!-- b -->`",
    "w <!-- c --> w",
    "w<!-- c -->w",
    "w <!-- x\ny --> w",
    "# w <!-- c -->",
    "- <!-- c -->",
    "> <!-- c -->",
    "    <!-- c -->",
    "`<!-- c -->`",
    "\\<!-- c -->",
    "![<!-- c -->](u)",
    "[w <!-- c -->](u '<!-- t -->')",
    "[w](<u <!-- c -->> 'w')",
    "``<!-- c -->` w ```",
    "| w | <!-- c --> |",
    "<a b='<!-- c -->'>",
    "<div><!-- c -->",
]
MARKS = [
    "<!-- context: keep -->",
    "<!-- context: drop -->",
    "## w <!-- context: keep -->",
    "<!--context:drop-->",
    "- w\n  <!-- context: keep -->",
]
MENTIONS = [
    "@w",
    "w @w",
    "`@w`",
    "\\@w",
    "w @w\\ w",
    "<a href='@w'>",
    "[@w](@w)",
    "``w ` @w``",
    "`w @w w`",
    "<a href='w @w w'>",
    "[w](<u @w w>) @w",
    "w@w",
    "> @w",
    "| @w | `@w` |",
]
BLOCKS = [
    "w",
    "w w",
    "# w",
    "## w",
    "### w",
    "w\n===",
    "w\n---",
    "- w",
    "* w",
    "-",
    "1. w",
    "2) w",
    "-   w",
    "- w\n\n  w",
    "- w\n  - w",
    "> w",
    ">",
    "> w\nw",
    "    w",
    "\tw",
    "```\nw\n```",
    "~~~ w\n# w\n~~~",
    "```",
    "~~~~",
    "- ```\n  w",
    "`w`",
    "`",
    "| w | w |\n|---|---|\n| w | w |",
    "***",
    "---",
    "===",
    "<div>\nw\n</div>",
    "<div>",
    "<script>",
    "</script>",
    "<?",
    "<!A",
    "<![CDATA[",
    "]]>",
    "<b>\nw",
    "<pre>w</pre>",
    "[w]: /u",
    "[w]: /u\n[r]: /v",
    "[r]: /u 'w'",
    "[r]: /u",
    "w [r] w",
    "[r]",
    "`[r]`",
    "w [w](u)",
    "  ",
    "\x0c",
    "\u2028w",
    "é w",
]
_PREFIXES = [*[""] * 12, "  ", "   ", "    ", "> ", ">", "- ", "  > ", "> - ", "1. ", "   - ", "\t"]


def documents(*fragments: list[str], most: int = 9) -> st.SearchStrategy[str]:
    """Texts of at most ``most`` fragments and blocks behind quote marks, markers and indentation.

    No word stands in one twice. Each is decoded from one byte string: hypothesis draws that in a fraction of the
    time that a list of choices takes, and shrinks it as well.
    """
    fragments_and_blocks = table(*fragments)
    return st.binary(min_size=2, max_size=2 * most).map(lambda data: document(data, fragments_and_blocks))


def table(*fragments: list[str]) -> list[str]:
    """What documents are made of: all blocks, blank lines, and the asked-for fragments."""
    return [*BLOCKS, *[""] * 12, *itertools.chain(*fragments)]


def document(data: bytes, entries: list[str]) -> str:
    """The document that ``data`` describes: a prefix and a fragment for every two bytes."""
    pairs = zip(data[::2], data[1::2], strict=False)
    text = "\n".join(
        _PREFIXES[prefix % len(_PREFIXES)] + entries[fragment % len(entries)] for prefix, fragment in pairs
    )
    numbers = itertools.count()
    return re.sub(r"\bw\b", lambda _: f"w{next(numbers)}ordsworth", text)

"""Inline content is read as markdown-it reads it, in time that grows with its length."""

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from support.properties import PROPERTY

from context_common.markdown.inline import inline_spans, labels_used

MARKDOWN = MarkdownIt("commonmark", {"maxNesting": 100, "store_labels": True}).disable(["emphasis", "entity"])
REFERENCES = {label: {"href": "/u", "title": ""} for label in ("A", "B", "AB")}
PIECES = [
    *(
        "[",
        "]",
        "![",
        "!",
        "[a]",
        "a",
        "b",
        " ",
        "\n",
        "\\",
        "\\`",
        "\\[",
        "\\]",
        "`",
        "``",
        "`a`",
        "``a`b``",
        "(u)",
        "(u",
    ),
    *("](u)", "]()", "]( u )", "](u(v)w)", "](u\\))", "](u", "](<u>'t')", "](<u)>", "](u 't')", '](u "t")', "](u (t))"),
    *("<b>", "</b>", "<b/>", "<b", "<b c=' '>", "<b c='](u) '>", '<b c="`" d>', "<b c", "<?", "?>", "<!A >", "]]>"),
    *("<!ä>", "<\u212a>"),
    *("<!-- c -->", "<!-- ` -->", "<!-- c", "<![CDATA[", "<http://a>", "<http://`>", "<a@b.c>", "<a@", "<>", "<", ">"),
]
USES = [
    *("[a]", "[b]", "[x]", "[a][b]", "[a][x]", "[x][b]", "[b][]", "![a]", "![x][b]"),
    *("[A\nb]", "[`b`]", "\\[a\\]", "[", "![", "a", " "),
]


def made_of(pieces):
    return st.binary(min_size=1, max_size=12).map(lambda data: "".join(pieces[byte % len(pieces)] for byte in data))


def said_by_markdown_it(text):
    """The spans of ``text`` in the order in which they begin; those of links begin behind their text."""
    (inline,) = MARKDOWN.parseInline(text, {})
    found = []
    for token in inline.children:
        match token.type:
            case "code_inline":
                found.append(("code", token.content.strip()))
            case "html_inline":
                found.append(("html", token.content))
            case "image":
                found.append(("image", f"![{token.content}]"))
            case "link_close":
                found.append(("autolink" if token.markup == "autolink" else "target", ""))
    return found


def told(span, text):
    stretch = span.text_in(text)
    match span.kind:
        case "code":
            return stretch.strip("`").replace("\n", " ").strip()
        case "html":
            return stretch
        case "image":
            return stretch[: stretch.rindex("](") + 1]
    return ""


@PROPERTY
@given(made_of(PIECES))
def test_spans_are_what_markdown_it_says(text):
    found = [(span.kind.value, told(span, text)) for span in inline_spans(text, {})]
    assert found == said_by_markdown_it(text)


@PROPERTY
@given(made_of(USES))
def test_the_labels_that_a_text_uses_are_those_of_its_links(text):
    (inline,) = MARKDOWN.parseInline(text, {"references": REFERENCES})
    links = [*inline.children, *(nested for child in inline.children for nested in child.children or [])]
    assert labels_used(text, REFERENCES) == {token.meta["label"] for token in links if "label" in token.meta}


@PROPERTY
@given(st.text("[]()!`<>\\ab-?' \n", max_size=24))
def test_spans_stand_one_behind_the_other(text):
    end = 0
    for span in inline_spans(text, REFERENCES):
        assert end <= span.start < span.end <= len(text)
        end = span.end

"""What a Markdown text is, comments aside: the oracle of the comment properties, made of full parses."""

import re

from markdown_it import MarkdownIt

MARKDOWN = MarkdownIt("commonmark", {"maxNesting": 50}).enable("table").disable("emphasis")
COMMENT = re.compile(r"<!-->|<!--->|<!--.*?-->", re.DOTALL)
_CELLS = ("th_open", "td_open")


def structure(text):
    """The blocks of ``text``: (name, content) pairs, nested as its containers are.

    Comments are gone, and containers without anything else; text behind a block comment is a paragraph; lists of one
    kind that follow each other are one. Of a paragraph the words are listed and then its code.
    """
    environment = {}
    return _blocks(iter(MARKDOWN.parse(text + "\n", environment)), environment)


def code(blocks):
    """All code in ``blocks``: fenced, indented and in spans."""
    found = []
    for name, content in blocks:
        if name in ("fence", "code_block"):
            found.append(content)
        elif isinstance(content, tuple):
            found += content[1]
        elif isinstance(content, list):
            found += code(content)
    return found


def comments_left(text):
    """The comments of ``text`` that stripping takes out, but for empty ones."""
    tokens = MARKDOWN.parse(text + "\n")
    found = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "html_block" and (match := COMMENT.match(token.content.strip())):
            found.append(match[0])
        elif token.type == "inline" and before.type not in _CELLS:
            found += [child.content for child in token.children if _is_comment(child)]
    return [comment for comment in found if comment != "<!-- -->"]


def _blocks(tokens, environment):
    found = []
    for token in tokens:
        if token.nesting < 0:
            break
        if token.type in ("paragraph_open", "heading_open", *_CELLS):
            found.append((token.tag, _prose(next(tokens).children, keep=token.type in _CELLS)))
            next(tokens)
        elif token.nesting > 0:
            found.append((token.type + token.markup, _blocks(tokens, environment)))
        elif token.type == "html_block":
            found += _html(token.content.strip(), environment)
        else:
            found.append((token.type, token.info + token.content))
    return _joined([block for block in found if block[1] != []])


def _html(content, environment):
    match = COMMENT.match(content)
    if not match:
        return [("html", content)]
    while match := COMMENT.match(content):
        content = content[match.end() :].strip()
    return [("p", _prose(MARKDOWN.parseInline(content, environment)[0].children, keep=False))] if content else []


def _prose(children, *, keep):
    words = []
    for child in children:
        if child.type in ("softbreak", "hardbreak"):
            words.append(" ")
        elif keep or not _is_comment(child):
            words.append(child.content)
    spans = [child.content for child in children if child.type == "code_inline"]
    return "".join("".join(words).split()), spans


def _is_comment(child):
    return child.type == "html_inline" and COMMENT.fullmatch(child.content)


def _joined(blocks):
    found = []
    for block in blocks:
        if found and found[-1][0] == block[0] and "_list_" in block[0]:
            found[-1] = (block[0], found[-1][1] + block[1])
        else:
            found.append(block)
    return found

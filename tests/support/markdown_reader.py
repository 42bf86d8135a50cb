"""Our reader behind the corpus's protocol: a case's input in, what the corpus compares out.

Run as a program it answers JSON lines, as `tests/corpus/markdown/run.py` asks for.
"""

import json
import sys

from context_common.budget import fit
from context_common.globs import Globs
from context_common.markdown.comments import CommentMode, strip_comments
from context_common.markdown.decode import NotTextError, decode
from context_common.markdown.document import Document, read_document
from context_common.markdown.frontmatter import split_front_matter
from context_common.markdown.mentions import mentions
from context_common.markdown.sections import Sections
from context_common.markdown.units import units
from context_common.provider import Draft, Part


def answer(function, given):
    """What our reader says to the ``given`` input of a case of ``function``."""
    return _ANSWERS[function](given)


def _decode(given):
    try:
        decoded = decode(bytes.fromhex(given["bytes"]))
    except NotTextError as error:
        return {"error": error.reason.value}
    return {"text": decoded.text, "warnings": [warning.line for warning in decoded.warnings]}


def _front_matter(given):
    front = split_front_matter(given["text"])
    return {
        "metadata": json.loads(json.dumps(dict(front.metadata), default=str)),
        "body": front.body,
        "first_line": front.first_line,
        "warnings": len(front.warnings),
    }


def _comments(given):
    stripped = strip_comments(given["text"], CommentMode(given.get("mode", "all")))
    return {
        "text": stripped.text,
        "lines": [line + 1 for line in stripped.lines or range(stripped.text.count("\n") + 1)],
        "marks": [f"{mark.kind} {mark.reach} {mark.line + 1}" for mark in stripped.marks],
        "warnings": [warning.line for warning in stripped.warnings],
    }


def _document(given):
    document = read_document(given["text"].encode(), CommentMode(given.get("mode", "all")))
    return {
        "text": document.text,
        "lines": list(document.lines) or [line + 1 for line in range(document.text.count("\n") + 1)],
        "marks": [f"{mark.kind} {mark.reach} {mark.line + 1}" for mark in document.marks],
    }


def _units(given):
    return {"units": [f"{unit.kind}: {unit.text}" for unit in units(given["text"])]}


def _mentions(given):
    return {"mentions": [f"{mention.line + 1} {mention.token}" for mention in mentions(given["text"])]}


def _section(given):
    section = Sections(Document(given["text"])).get(given["heading"])
    return {"text": section.text, "first_line": section.lines[0]} if section else {"none": True}


def _fit(given):
    sections = fit([_draft(draft) for draft in given["drafts"]], given["budget"], _quarter_bytes)
    return {
        "sections": [
            {"label": section.label, "text": section.text, "truncated": section.truncated} for section in sections
        ]
    }


def _draft(given):
    parts = tuple(
        Part.of(part["source"], read_document(part["text"].encode()), part.get("opening", ""))
        for part in given.get("parts", [])
    )
    return Draft(
        given["label"],
        parts,
        tuple(given.get("ladder", [])),
        nearness=given.get("nearness", 0),
        opening=given.get("opening", ""),
    )


def _quarter_bytes(text):
    return (len(text.encode()) + 3) // 4


def _globs(given):
    globs = Globs(given["patterns"], anchored=given["anchored"])
    return {
        "matches": {path: globs.matches(path) for path in given["paths"]},
        "refused": [error.pattern for error in globs.errors],
    }


_ANSWERS = {
    "decode": _decode,
    "front_matter": _front_matter,
    "comments": _comments,
    "document": _document,
    "units": _units,
    "mentions": _mentions,
    "section": _section,
    "fit": _fit,
    "globs": _globs,
}

if __name__ == "__main__":
    for line in sys.stdin:
        case = json.loads(line)
        print(json.dumps(answer(case["function"], case["input"])), flush=True)

"""HCL as this host needs it: blocks and arguments with literal values and ``env("NAME")``, each with its line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import hcl2
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from context_host.errors import UnusableError
from context_host.hcl_values import ACCEPTED, Values, trees, word

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lark import Token, Tree

_SYNTAX = "one argument a line, strings in double quotes"
_HEREDOC_SYNTAX = "a heredoc ends with a line that holds its marker alone"
_EXPRESSION_STARTS = ('"', "[", "{", "env(")


class _SyntaxError(UnusableError):
    """This is no HCL."""


@dataclass(frozen=True, slots=True)
class Argument:
    """``name = value``."""

    name: str
    value: Any
    where: str


@dataclass(frozen=True, slots=True)
class Block:
    """``kind "label" { … }``; ``where`` is its ``file:line``, and one with a ``fault`` inside has no content."""

    kind: str
    labels: tuple[str, ...]
    arguments: tuple[Argument, ...]
    blocks: tuple[Block, ...]
    where: str
    fault: UnusableError | None = None


def read_hcl(text: str, file: str, environment: Mapping[str, str]) -> Block:
    """The whole of ``text`` as one nameless block.

    Args:
        text: the source.
        file: what it is called in messages.
        environment: what ``env()`` looks names up in.

    Raises:
        UnusableError: it is no HCL, or outside its blocks defines an argument twice or computes a value; what is
            wrong inside of a block is that block's fault.
    """
    try:
        tree = _parse(text, file)
        reader = _Reader(file, environment)
        return reader.block("", (), next(trees(tree)), 1, inner=reader.guarded_block)
    except RecursionError:
        raise UnusableError(f"{file}: this is nested too deeply") from None


def read_value(text: str, what: str, environment: Mapping[str, str]) -> Any:
    """The value of one HCL expression; a bare word, which is no expression, is a string.

    Raises:
        UnusableError: the text begins like an expression and is none that is accepted; named ``what``.
    """
    try:
        read = read_hcl(f"value = {text}", what, environment)
    except UnusableError as error:
        if not text.startswith(_EXPRESSION_STARTS):
            return text
        if isinstance(error, _SyntaxError):
            raise UnusableError(f"{what}: {text} is no HCL value; {ACCEPTED}") from None
        raise
    is_one = len(read.arguments) == 1 and not read.blocks
    return read.arguments[0].value if is_one else text


def _parse(text: str, file: str) -> Tree[Token]:
    try:
        return hcl2.parses_to_tree(text)
    except UnexpectedToken as error:
        if error.token.type == "$END":
            last_line = text.count("\n") + 1
            raise _SyntaxError(f"{file}:{last_line}: the file ends too early; {_SYNTAX}") from None
        found = (error.token.value.strip() or "end of line").splitlines()[0]
        accepted = _HEREDOC_SYNTAX if found.startswith("<<") else _SYNTAX
        raise _SyntaxError(f"{file}:{error.line}: unexpected {found!r}; {accepted}") from None
    except UnexpectedCharacters as error:
        raise _SyntaxError(f"{file}:{error.line}: unexpected {error.char!r}; {_SYNTAX}") from None
    except UnexpectedInput:
        raise _SyntaxError(f"{file}: this is not HCL") from None


class _Reader:
    def __init__(self, file: str, environment: Mapping[str, str]) -> None:
        self._file = file
        self._values = Values(file, environment)

    def guarded_block(self, kind: str, labels: tuple[str, ...], body: Tree[Token], line: int) -> Block:
        try:
            return self.block(kind, labels, body, line)
        except UnusableError as fault:
            return Block(kind, labels, (), (), f"{self._file}:{line}", fault)

    def block(
        self,
        kind: str,
        labels: tuple[str, ...],
        body: Tree[Token],
        line: int,
        inner: Callable[..., Block] | None = None,
    ) -> Block:
        arguments: dict[str, Argument] = {}
        blocks = []
        last_line = 0
        for child in trees(body):
            if child.meta.line == last_line:
                raise UnusableError(f"{self._values.where(child)}: HCL takes one argument or block a line")
            # A heredoc takes its line end along and so ends at the start of the next line.
            last_line = child.meta.end_line - (child.meta.end_column == 1)
            if child.data == "attribute":
                argument = self._argument(child)
                if argument.name in arguments:
                    first = arguments[argument.name].where
                    raise UnusableError(f"{argument.where}: {argument.name!r} is set twice, first at {first}")
                arguments[argument.name] = argument
            else:
                *head, content = trees(child)
                names = tuple(self._values.label(part) for part in head)
                blocks.append((inner or self.block)(names[0], names[1:], content, child.meta.line))
        return Block(kind, labels, tuple(arguments.values()), tuple(blocks), f"{self._file}:{line}")

    def _argument(self, node: Tree[Token]) -> Argument:
        name, expression = node.children[0], node.children[-1]
        return Argument(word(name), self._values.value(expression), self._values.where(node))

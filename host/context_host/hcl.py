"""HCL as this host needs it: blocks and arguments with literal values and ``env("NAME")``, each with its line."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import hcl2
from lark import Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from context_host.errors import UnusableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_TEMPLATE_MARK = re.compile(r"(?<!\$)\$\{|(?<!%)%\{")
_ESCAPED_MARK = re.compile(r"([$%])\1\{")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|.|$)", re.DOTALL)
_ESCAPES = {"\\n": "\n", "\\r": "\r", "\\t": "\t", '\\"': '"', "\\\\": "\\"}
_LONGEST_NUMBER = 300
_SYNTAX = "one argument a line, strings in double quotes"
_HEREDOC_SYNTAX = "a heredoc ends with a line that holds its marker alone"
_ACCEPTED = 'accepted are literals, lists, objects and env("NAME")'
_EXPRESSION_STARTS = ('"', "[", "{", "env(")
_LITERALS = {"true": True, "false": False, "null": None}


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
    """``kind "label" { … }``; ``where`` is its ``file:line``."""

    kind: str
    labels: tuple[str, ...]
    arguments: tuple[Argument, ...]
    blocks: tuple[Block, ...]
    where: str


def read_hcl(text: str, file: str, environment: Mapping[str, str]) -> Block:
    """The whole of ``text`` as one nameless block.

    Args:
        text: the source.
        file: what it is called in messages.
        environment: what ``env()`` looks names up in.

    Raises:
        UnusableError: it is no HCL, defines an argument twice, or computes a value.
    """
    try:
        tree = _parse(text.removeprefix("\ufeff"), file)
        return _Reader(file, environment).block("", (), next(_trees(tree)), 1)
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
            raise UnusableError(f"{what}: {text} is no HCL value; {_ACCEPTED}") from None
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
        self._environment = environment

    def block(self, kind: str, labels: tuple[str, ...], body: Tree[Token], line: int) -> Block:
        arguments: dict[str, Argument] = {}
        blocks = []
        last_line = 0
        for child in _trees(body):
            if child.meta.line == last_line:
                raise UnusableError(f"{self._where(child)}: HCL takes one argument or block a line")
            # A heredoc takes its line end along and so ends at the start of the next line.
            last_line = child.meta.end_line - (child.meta.end_column == 1)
            if child.data == "attribute":
                argument = self._argument(child)
                if argument.name in arguments:
                    first = arguments[argument.name].where
                    raise UnusableError(f"{argument.where}: {argument.name!r} is set twice, first at {first}")
                arguments[argument.name] = argument
            else:
                *head, inner = _trees(child)
                names = tuple(self._label(part) for part in head)
                blocks.append(self.block(names[0], names[1:], inner, child.meta.line))
        return Block(kind, labels, tuple(arguments.values()), tuple(blocks), f"{self._file}:{line}")

    def _argument(self, node: Tree[Token]) -> Argument:
        name, expression = node.children[0], node.children[-1]
        return Argument(_word(name), self.value(expression), self._where(node))

    def value(self, node: Tree[Token] | Token) -> Any:
        if isinstance(node, Token):
            return self._refuse(node)
        read = getattr(self, f"_{node.data}", self._refuse)
        return read(node)

    def _expr_term(self, node: Tree[Token]) -> Any:
        inner = list(_trees(node))
        return self.value(inner[0]) if len(inner) == 1 else self._refuse(node)

    def _literal_value(self, node: Tree[Token]) -> bool | None:
        return _LITERALS[_word(node)]

    def _int_lit(self, node: Tree[Token]) -> int:
        digits = _word(node)
        return int(digits) if len(digits) <= _LONGEST_NUMBER else self._refuse(node, "a number of this size")

    def _float_lit(self, node: Tree[Token]) -> float:
        return float(_word(node))

    def _unary_op(self, node: Tree[Token]) -> int | float:
        operator, operand = node.children[0], self.value(node.children[-1])
        if str(operator) != "-" or isinstance(operand, bool) or not isinstance(operand, int | float):
            self._refuse(node)
        return -operand

    def _tuple(self, node: Tree[Token]) -> list[Any]:
        return [self.value(element) for element in _trees(node)]

    def _object(self, node: Tree[Token]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for element in _trees(node):
            key_node, value_node = _trees(element)
            key = self._label(next(_trees(key_node), key_node))
            if key in values:
                raise UnusableError(f"{self._where(element)}: {key!r} is set twice")
            values[key] = self.value(value_node)
        return values

    def _string(self, node: Tree[Token]) -> str:
        return "".join(self._part(part.children[0]) for part in _trees(node))

    def _part(self, part: Tree[Token] | Token) -> str:
        if isinstance(part, Tree):
            value = self.value(next(_trees(part))) if part.data == "interpolation" else self._refuse(part)
            return value if isinstance(value, str) else self._refuse(part)
        if part.type in {"ESCAPED_INTERPOLATION", "ESCAPED_DIRECTIVE"}:
            return str(part)[1:]
        if "\n" in part:
            raise UnusableError(f"{self._where(part)}: a string ends on its own line; write \\n, or a heredoc")
        return _ESCAPE.sub(lambda escape: self._unescaped(escape, part), str(part))

    def _unescaped(self, escape: re.Match[str], part: Token) -> str:
        code = int(escape[1] or escape[2] or "0", 16)
        is_character = code <= sys.maxunicode and not 0xD800 <= code < 0xE000  # noqa: PLR2004  (surrogates)
        if (escape[1] or escape[2]) and is_character:
            return chr(code)
        if escape[0] not in _ESCAPES:
            raise UnusableError(
                f"{self._where(part)}: {escape[0]} is no escape sequence; accepted are "
                r"\n, \r, \t, \", \\, \uNNNN and \UNNNNNNNN"
            )
        return _ESCAPES[escape[0]]

    def _heredoc_template(self, node: Tree[Token], *, flush: bool = False) -> str:
        _, *lines, _, _ = _word(node).split("\n")
        text = "".join(f"{line}\n" for line in (_flushed(lines) if flush else lines))
        if _TEMPLATE_MARK.search(text):
            self._refuse(node, "a template in a heredoc")
        return _ESCAPED_MARK.sub(r"\1{", text)

    def _heredoc_template_trim(self, node: Tree[Token]) -> str:
        return self._heredoc_template(node, flush=True)

    def _function_call(self, node: Tree[Token]) -> str:
        name, *rest = _trees(node)
        arguments = [argument for part in rest for argument in _trees(part)]
        if _word(name) != "env" or len(arguments) != 1:
            self._refuse(node)
        variable = self.value(arguments[0])
        if not isinstance(variable, str):
            self._refuse(node)
        if variable not in self._environment:
            raise UnusableError(f'{self._where(node)}: env("{variable}"): this variable is not set')
        return self._environment[variable]

    def _label(self, node: Tree[Token]) -> str:
        if node.data == "expr_term":
            node = next(_trees(node))
        if node.data == "string":
            return self._string(node)
        return _word(node) if node.data in {"identifier", "keyword", "literal_value"} else self._refuse(node)

    def _where(self, node: Tree[Token] | Token) -> str:
        line = node.line if isinstance(node, Token) else node.meta.line
        return f"{self._file}:{line}"

    def _refuse(self, node: Tree[Token] | Token, what: str = "a computed value") -> NoReturn:
        raise UnusableError(f"{self._where(node)}: {what} is not accepted; {_ACCEPTED}")


def _flushed(lines: Sequence[str]) -> list[str]:
    """The lines without the white space that they all begin with; blank ones have no say and stay as they are."""
    margins = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    margin = min(margins, default=0)
    return [line[margin:] if line.strip() else line for line in lines]


def _trees(node: Tree[Token]) -> Iterator[Tree[Token]]:
    return (child for child in node.children if isinstance(child, Tree) and child.data != "new_line_or_comment")


def _word(node: Tree[Token] | Token) -> str:
    return str(node) if isinstance(node, Token) else "".join(_word(child) for child in node.children)

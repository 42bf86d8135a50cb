"""The values of HCL expressions: literals, lists, objects and ``env("NAME")``, each knowing its line."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from lark import Token, Tree

from context_host.errors import UnusableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ACCEPTED = 'accepted are literals, lists, objects and env("NAME")'
_TEMPLATE_MARK = re.compile(r"(?<!\$)\$\{|(?<!%)%\{")
_ESCAPED_MARK = re.compile(r"([$%])\1\{")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|.|$)", re.DOTALL)
_ESCAPES = {"\\n": "\n", "\\r": "\r", "\\t": "\t", '\\"': '"', "\\\\": "\\"}
_LONGEST_NUMBER = 300
_LITERALS = {"true": True, "false": False, "null": None}


class Values:
    """Reads the expressions of one file.

    Args:
        file: what it is called in messages.
        environment: what ``env()`` looks names up in.
    """

    def __init__(self, file: str, environment: Mapping[str, str]) -> None:
        self._file = file
        self._environment = environment

    def value(self, node: Tree[Token] | Token) -> Any:
        """The value of an expression; an `UnusableError` where it is computed."""
        if isinstance(node, Token):
            return self._refuse(node)
        read = getattr(self, f"_{node.data}", self._refuse)
        return read(node)

    def _expr_term(self, node: Tree[Token]) -> Any:
        inner = list(trees(node))
        return self.value(inner[0]) if len(inner) == 1 else self._refuse(node)

    def _literal_value(self, node: Tree[Token]) -> bool | None:
        return _LITERALS[word(node)]

    def _int_lit(self, node: Tree[Token]) -> int:
        digits = word(node)
        return int(digits) if len(digits) <= _LONGEST_NUMBER else self._refuse(node, "a number of this size")

    def _float_lit(self, node: Tree[Token]) -> float:
        return float(word(node))

    def _unary_op(self, node: Tree[Token]) -> int | float:
        operator, operand = node.children[0], self.value(node.children[-1])
        if str(operator) != "-" or isinstance(operand, bool) or not isinstance(operand, int | float):
            self._refuse(node)
        return -operand

    def _tuple(self, node: Tree[Token]) -> list[Any]:
        return [self.value(element) for element in trees(node)]

    def _object(self, node: Tree[Token]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for element in trees(node):
            key_node, value_node = trees(element)
            key = self.label(next(trees(key_node), key_node))
            if key in values:
                raise UnusableError(f"{self.where(element)}: {key!r} is set twice")
            values[key] = self.value(value_node)
        return values

    def _string(self, node: Tree[Token]) -> str:
        return "".join(self._part(part.children[0]) for part in trees(node))

    def _part(self, part: Tree[Token] | Token) -> str:
        if isinstance(part, Tree):
            value = self.value(next(trees(part))) if part.data == "interpolation" else self._refuse(part)
            return value if isinstance(value, str) else self._refuse(part)
        if part.type in {"ESCAPED_INTERPOLATION", "ESCAPED_DIRECTIVE"}:
            return str(part)[1:]
        if "\n" in part:
            raise UnusableError(f"{self.where(part)}: a string ends on its own line; write \\n, or a heredoc")
        return _ESCAPE.sub(lambda escape: self._unescaped(escape, part), str(part))

    def _unescaped(self, escape: re.Match[str], part: Token) -> str:
        code = int(escape[1] or escape[2] or "0", 16)
        is_character = code <= sys.maxunicode and not 0xD800 <= code < 0xE000  # noqa: PLR2004  (surrogates)
        if (escape[1] or escape[2]) and is_character:
            return chr(code)
        if escape[0] not in _ESCAPES:
            raise UnusableError(
                f"{self.where(part)}: {escape[0]} is no escape sequence; accepted are "
                r"\n, \r, \t, \", \\, \uNNNN and \UNNNNNNNN"
            )
        return _ESCAPES[escape[0]]

    def _heredoc_template(self, node: Tree[Token], *, flush: bool = False) -> str:
        _, *lines, _, _ = word(node).split("\n")
        text = "".join(f"{line}\n" for line in (_flushed(lines) if flush else lines))
        if _TEMPLATE_MARK.search(text):
            self._refuse(node, "a template in a heredoc")
        return _ESCAPED_MARK.sub(r"\1{", text)

    def _heredoc_template_trim(self, node: Tree[Token]) -> str:
        return self._heredoc_template(node, flush=True)

    def _function_call(self, node: Tree[Token]) -> str:
        name, *rest = trees(node)
        arguments = [argument for part in rest for argument in trees(part)]
        if word(name) != "env" or len(arguments) != 1:
            self._refuse(node)
        variable = self.value(arguments[0])
        if not isinstance(variable, str):
            self._refuse(node)
        if variable not in self._environment:
            raise UnusableError(f'{self.where(node)}: env("{variable}"): this variable is not set')
        return self._environment[variable]

    def label(self, node: Tree[Token]) -> str:
        """The text of a name, in quotes or not."""
        if node.data == "expr_term":
            node = next(trees(node))
        if node.data == "string":
            return self._string(node)
        return word(node) if node.data in {"identifier", "keyword", "literal_value"} else self._refuse(node)

    def where(self, node: Tree[Token] | Token) -> str:
        """The ``file:line`` of a node."""
        line = node.line if isinstance(node, Token) else node.meta.line
        return f"{self._file}:{line}"

    def _refuse(self, node: Tree[Token] | Token, what: str = "a computed value") -> NoReturn:
        raise UnusableError(f"{self.where(node)}: {what} is not accepted; {ACCEPTED}")


def _flushed(lines: Sequence[str]) -> list[str]:
    """The lines without the white space that they all begin with; blank ones have no say and stay as they are."""
    margins = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    margin = min(margins, default=0)
    return [line[margin:] if line.strip() else line for line in lines]


def trees(node: Tree[Token]) -> Iterator[Tree[Token]]:
    """What stands below ``node``, without comments and line ends."""
    return (child for child in node.children if isinstance(child, Tree) and child.data != "new_line_or_comment")


def word(node: Tree[Token] | Token) -> str:
    """The source of ``node``."""
    return str(node) if isinstance(node, Token) else "".join(word(child) for child in node.children)

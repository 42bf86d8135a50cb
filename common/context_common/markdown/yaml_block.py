"""The YAML half of front matter, apart so that PyYAML is imported only by files that have some."""

from __future__ import annotations

from typing import Any

import yaml
from frontmatter.default_handlers import SafeLoader, YAMLHandler

MAX_MERGED = 1000


class _Loader(SafeLoader):  # type: ignore[misc, valid-type]
    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        super().flatten_mapping(node)
        # Nested merge keys multiply: a dozen short lines could otherwise fill the memory.
        if len(node.value) > MAX_MERGED:
            raise yaml.YAMLError(f"a mapping of more than {MAX_MERGED} merged entries")


class BlockHandler(YAMLHandler):
    """Reads one block whose boundaries are known, and keeps what it says even if that is no mapping."""

    value: object = None

    def split(self, text: str) -> tuple[str, str]:
        """The lines between the delimiters; a rule of five dashes inside is not taken for one."""
        return text[len("---\n") : -len("---")], ""

    def load(self, fm: str, **_: object) -> Any:
        """What the block says."""
        self.value = super().load(fm, Loader=_Loader)
        return self.value

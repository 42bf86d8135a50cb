"""What one firing may do at most: a repository is untrusted, and a turn waits for the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from context_claude_md.loading import File
    from context_claude_md.patterns import Patterns


@dataclass
class Allowance:
    """What is left: imports and bytes of text to take in, names to look up, characters to search and to match by.

    Attributes:
        searches: characters to search for imports.
        sections: characters to search for headings.
        patterns: characters of the patterns of rules, braces expanded.
        opened: the files that were searched for headings.
    """

    imports: int = 200
    text: int = 4 * 1024 * 1024
    lookups: int = 2_000
    searches: int = 512 * 1024
    sections: int = 256 * 1024
    patterns: int = 256 * 1024
    opened: set[tuple[int, int]] = field(default_factory=set)

    def takes(self, file: File) -> bool:
        """Whether there is room for the text of ``file``, which then is taken."""
        fits = file.loaded.size <= self.text
        self.text -= file.loaded.size * fits
        return fits

    def searches_in(self, file: File) -> bool:
        """Whether ``file`` may be searched for imports, which takes a second for every megabyte."""
        size = len(file.loaded.document.text) if "@" in file.loaded.document.text else 0
        fits = size <= self.searches
        self.searches -= size * fits
        return fits

    def opens(self, file: File) -> bool:
        """Whether a section of ``file`` may be looked for; for the first one all of it is read."""
        if file.identity not in self.opened:
            size = len(file.loaded.document.text)
            if size > self.sections:
                return False
            self.sections -= size
            self.opened.add(file.identity)
        return True

    def matches(self, patterns: Patterns) -> bool:
        """Whether a rule may be matched by ``patterns``; reading them takes a second for every million characters."""
        fits = self.patterns > 0
        if fits:
            self.patterns -= patterns.size
        return fits

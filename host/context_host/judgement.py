"""Which of a plugin's answer the host lets stand: scope first, then each section by itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from context_common.wire import content_pb2, context_pb2

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from context_host.assembly import Contributor
    from context_host.counting import Counter

Section = content_pb2.ContextSection


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about an answer that the host tells its log."""

    level: str
    message: str
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The chain as it stands after an answer; None when the whole answer was thrown away."""

    chain: list[Section] | None
    rejected: Sequence[tuple[str, str]] = ()
    problems: Sequence[Problem] = ()


def judge(
    contributor: Contributor,
    prior: Sequence[Section],
    response: context_pb2.ContextContribution,
    budget: int,
    counter: Counter,
) -> Verdict:
    """The verdict on ``response``, which came for the chain ``prior`` and may take ``budget`` tokens."""
    if not contributor.compactor and (violation := _violation(contributor.name, prior, response)):
        return Verdict(
            None, problems=[Problem("error", f"scope violation, the whole answer is thrown away: {violation}")]
        )
    allowance = _Allowance(contributor, {section.provider for section in prior}, budget, counter)
    chain = [stands for section in response.sections if (stands := allowance.admit(section)) is not None]
    total = sum(section.tokens for section in chain)
    if contributor.compactor and total > budget:
        message = f"the compacted chain has {total} tokens, its budget is {budget}; the whole answer is thrown away"
        return Verdict(None, problems=[*allowance.problems, Problem("error", message)])
    return Verdict(chain, allowance.rejected, allowance.problems)


def _violation(name: str, prior: Sequence[Section], response: context_pb2.ContextContribution) -> str:
    """What the answer does to sections that are not its own; ``""`` when it leaves them alone."""
    if response.rewritten_history:
        return "it rewrites the conversation and is no compactor"
    before = [section for section in prior if section.provider != name]
    after = [section for section in response.sections if section.provider != name]
    if before == after:
        return ""
    for was in before:
        if was not in after:
            changed = any((now.provider, now.label) == (was.provider, was.label) for now in after)
            return f"it {'changes' if changed else 'leaves out'} {_named(was)}"
    for now in after:
        if now not in before:
            return f"it poses as another provider with {_named(now)}"
    return "it moves or repeats sections of other providers"


class _Allowance:
    """Admits sections one by one, until the budget of their provider is used up."""

    def __init__(self, contributor: Contributor, heard: Collection[str], budget: int, counter: Counter) -> None:
        self.rejected: list[tuple[str, str]] = []
        self.problems: list[Problem] = []
        self._contributor = contributor
        self._heard = heard
        self._budget = budget
        self._counter = counter
        self._used = 0

    def admit(self, section: Section) -> Section | None:
        """The section with the host's own count, or None when it is dropped."""
        if section.provider != self._contributor.name and not self._contributor.compactor:
            return section
        tokens = self._counter.of_blocks(section.content)
        if reason := self._objection(section, tokens):
            self.rejected.append((section.provider, section.label))
            self._tell("warn", f"dropped {_named(section)}: {reason}", section)
            return None
        if section.stability == content_pb2.STABILITY_UNSPECIFIED:
            self._tell("warn", f"{_named(section)} has no stability and counts as dynamic", section)
        if section.tokens != tokens:
            self._tell("warn", f"{_named(section)} says {section.tokens} tokens, the host counts {tokens}", section)
        self._used += tokens
        admitted = Section()
        admitted.CopyFrom(section)
        admitted.tokens = tokens
        return admitted

    def _objection(self, section: Section, tokens: int) -> str:
        if not section.label:
            return "it has no label"
        if any(block.WhichOneof("block") != "text" for block in section.content):
            return "it holds a block that is not text"
        if section.provider not in {self._contributor.name, *self._heard}:
            return f"no section of {section.provider} stands before it"
        if self._contributor.compactor:
            # The budget holds for a compactor's chain as a whole.
            return ""
        if tokens > self._budget:
            return f"its {tokens} tokens are over the budget of {self._budget}"
        if self._used + tokens > self._budget:
            return f"with its {tokens} tokens the sections of this provider are over the budget of {self._budget}"
        return ""

    def _tell(self, level: str, message: str, section: Section) -> None:
        self.problems.append(Problem(level, message, {"section": section.label}))


def _named(section: Section) -> str:
    return f"section {section.label!r} of {section.provider}"

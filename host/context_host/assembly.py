"""One firing: every plugin in declaration order, each judged as the protocol says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from context_common.provider import Stability
from context_common.wire import content_pb2, context_pb2
from context_host.errors import PluginError
from context_host.hclog import Entry
from context_host.history import from_wire, history_tokens, to_wire
from context_host.judgement import Verdict, judge
from context_host.projection import SectionView

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from context_host.counting import Counter
    from context_host.models import Model
    from context_host.projection import Message

    Section = content_pb2.ContextSection


class Contributor(Protocol):
    """A plugin, as far as assembly is concerned."""

    @property
    def name(self) -> str:
        """The local name, under which its sections stand in the chain."""

    @property
    def cap(self) -> int:
        """Its tokens a firing: the operator's, or else its own default."""

    @property
    def compactor(self) -> bool:
        """Whether it may rewrite other sections and the history."""

    def contribute(self, request: context_pb2.ContextRequest, /) -> context_pb2.ContextContribution:
        """Answer a firing; a `PluginError` when it cannot."""


@dataclass(frozen=True, slots=True)
class Firing:
    """What every plugin is told in one firing."""

    session_id: str
    turn_id: str
    model: Model
    working_directory: str
    parent_session_id: str = ""
    files_touched: tuple[str, ...] = ()
    history: tuple[Message, ...] = ()
    assembled_tokens_last_turn: int = 0


@dataclass(frozen=True)
class Assembled:
    """What a firing came to.

    Attributes:
        sections: the accepted chain.
        budgets: each plugin's ``token_budget`` in this firing.
        history: the conversation, rewritten where a compactor did so.
        rejected: provider and label of each section that was dropped.
        failed: the plugins whose whole answer is missing or was thrown away.
        compacted: whether a compactor changed other sections, or the history.
        entries: what the host logged about all this.
    """

    sections: tuple[SectionView, ...]
    budgets: Mapping[str, int]
    history: tuple[Message, ...]
    rejected: frozenset[tuple[str, str]] = frozenset()
    failed: frozenset[str] = frozenset()
    compacted: bool = False
    entries: tuple[Entry, ...] = ()

    @property
    def tokens(self) -> int:
        """The host's count of the whole chain."""
        return sum(section.tokens for section in self.sections)


@dataclass
class _State:
    chain: list[Section] = field(default_factory=list)
    history: tuple[Message, ...] = ()
    budgets: dict[str, int] = field(default_factory=dict)
    rejected: set[tuple[str, str]] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    compacted: bool = False
    entries: list[Entry] = field(default_factory=list)


def assemble(
    contributors: Iterable[Contributor], firing: Firing, counter: Counter, *, strict: bool = False
) -> Assembled:
    """Fire every contributor once and keep what the protocol lets stand.

    Args:
        contributors: in declaration order.
        firing: what they are told.
        counter: the host's own count, which decides.
        strict: end the turn at the first failing plugin, instead of leaving it out.

    Raises:
        PluginError: a plugin failed and ``strict`` is set.
    """
    state = _State(history=firing.history)
    for contributor in contributors:
        budget = _budget(contributor, state.chain, firing.model)
        state.budgets[contributor.name] = budget
        try:
            response = contributor.contribute(_request(contributor, firing, state, budget, counter))
        except PluginError as error:
            if strict:
                raise
            state.failed.add(contributor.name)
            state.entries.append(Entry(contributor.name, "error", f"left out of this turn: {error.reason}"))
            continue
        _take(state, contributor, judge(contributor, state.chain, response, budget, counter), response)
    return Assembled(
        sections=tuple(_view(section) for section in state.chain),
        budgets=state.budgets,
        history=state.history,
        rejected=frozenset(state.rejected),
        failed=frozenset(state.failed),
        compacted=state.compacted,
        entries=tuple(state.entries),
    )


def _budget(contributor: Contributor, chain: Sequence[Section], model: Model) -> int:
    # A compactor's chain takes the place of the one assembled so far, so that one is not counted against it.
    assembled = 0 if contributor.compactor else sum(section.tokens for section in chain)
    return max(0, min(contributor.cap, model.effective_ceiling - assembled))


def _request(
    contributor: Contributor, firing: Firing, state: _State, budget: int, counter: Counter
) -> context_pb2.ContextRequest:
    return context_pb2.ContextRequest(
        session_id=firing.session_id,
        parent_session_id=firing.parent_session_id,
        turn_id=firing.turn_id,
        token_budget=budget,
        model_target=firing.model.target(),
        files_touched=firing.files_touched,
        working_directory=firing.working_directory,
        prior_sections=state.chain,
        conversation_history=to_wire(state.history) if contributor.compactor else (),
        history_tokens=history_tokens(state.history, counter),
        assembled_tokens_last_turn=firing.assembled_tokens_last_turn,
    )


def _take(state: _State, contributor: Contributor, verdict: Verdict, response: context_pb2.ContextContribution) -> None:
    state.entries += [
        Entry(contributor.name, problem.level, problem.message, problem.fields) for problem in verdict.problems
    ]
    state.rejected.update(verdict.rejected)
    if verdict.chain is None:
        state.failed.add(contributor.name)
        return
    if contributor.compactor:
        before = [section for section in state.chain if section.provider != contributor.name]
        after = [section for section in verdict.chain if section.provider != contributor.name]
        state.compacted |= before != after or bool(response.rewritten_history)
        if response.rewritten_history:
            state.history = from_wire(response.rewritten_history)
    state.chain = verdict.chain


def _view(section: Section) -> SectionView:
    static = section.stability == content_pb2.STABILITY_STATIC
    return SectionView(
        provider=section.provider,
        label=section.label,
        text="".join(block.text.text for block in section.content),
        stability=Stability.STATIC if static else Stability.DYNAMIC,
        tokens=section.tokens,
        truncated=section.truncated,
    )

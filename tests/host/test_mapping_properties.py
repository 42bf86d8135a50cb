"""For any session: what a reader of the request believes is what was delivered last, and nothing withdrawn stands alone."""

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st
from support.chains import Fired, dynamic, read, static

from context_host.mapping import ChainProjection
from context_host.measure import common
from context_host.projection import Message, ModelContext, Placement, Role
from context_host.record import Line, Record, Step

PROVIDERS = ("claude", "agents")
LABELS = ("A", "B", "C")
NAMES = [(provider, label) for provider in PROVIDERS for label in LABELS]


@dataclass(frozen=True)
class Turn:
    """What happens before, in and after one request."""

    files: dict[tuple[str, str], str | None]
    git: str | None
    rejected: frozenset[tuple[str, str]]
    failed: frozenset[str]
    compacted: bool
    fate: str
    restarted: bool


turns = st.builds(
    Turn,
    files=st.dictionaries(st.sampled_from(NAMES), st.none() | st.sampled_from(["one", "two", "three"]), max_size=2),
    git=st.none() | st.sampled_from(["clean", "dirty"]),
    rejected=st.frozensets(
        st.sampled_from(NAMES + [(name, f"{label} (updated)") for name, label in NAMES]), max_size=1
    ),
    failed=st.frozensets(st.sampled_from(PROVIDERS), max_size=1),
    compacted=st.booleans(),
    fate=st.sampled_from(["sent", "sent", "sent", "lost", "late"]),
    restarted=st.sampled_from([False, False, False, False, True]),
)


@dataclass
class World:
    """Sources and providers, and what was delivered last of each source."""

    appending: frozenset[str]
    files: dict[tuple[str, str], str] = field(default_factory=dict)
    originals: dict[tuple[str, str], str] = field(default_factory=dict)
    delivered: dict[tuple[str, str], str] = field(default_factory=dict)

    def fire(self, turn: Turn) -> Fired:
        """One firing; a provider in ``appending`` leaves the original and tells of the new text beside it."""
        for name, text in turn.files.items():
            self.files = (
                {**self.files, name: text} if text else {key: old for key, old in self.files.items() if key != name}
            )
        if turn.compacted:
            self.delivered = {("claude", "A"): "summary of " + " ".join(self.files.values())}
            sections = [static(*name, text) for name, text in self.delivered.items()]
            return Fired(tuple(sections), compacted=True)
        sections = [section for name in NAMES for section in self._sections(name)]
        sections = [section for section in sections if section.provider not in turn.failed]
        rejected = frozenset((s.provider, s.label) for s in sections) & turn.rejected
        accepted = [section for section in sections if (section.provider, section.label) not in rejected]
        self._deliver(turn, rejected)
        if turn.git:
            accepted.append(dynamic("git", "Git", turn.git))
        return Fired(tuple(accepted), rejected, turn.failed)

    def restart(self) -> None:
        """Providers of a new process know nothing of what they sent."""
        self.originals = {}

    def _sections(self, name):
        text = self.files.get(name)
        if name[0] not in self.appending:
            return [static(*name, text)] if text else []
        original = self.originals.get(name) or text
        if original is None:
            return []
        self.originals[name] = original
        if text == original:
            return [static(*name, original)]
        new = f"replaces the one above: {text}" if text else "the one above no longer applies"
        return [static(*name, original), dynamic(name[0], f"{name[1]} (updated)", new)]

    def _deliver(self, turn, rejected):
        for name in NAMES:
            if name[0] in turn.failed:
                continue
            chain = {section.label: section.text for section in self._sections(name)}
            updated = f"{name[1]} (updated)"
            newest = updated if updated in chain else name[1]
            if (name[0], newest) in rejected:
                continue
            if newest in chain:
                self.delivered[name] = chain[newest]
            elif name[1] not in chain:
                self.delivered.pop(name, None)


sessions = st.lists(turns, min_size=1, max_size=12)
placements = st.sampled_from([Placement.AFTER_CURRENT, Placement.ANCHORED])
appending = st.frozensets(st.sampled_from(PROVIDERS))


def play(script, placement, appends):
    """Each prepared request, with the world as delivered, the turn, and whether the request was sent."""
    world = World(appends)
    projection = ChainProjection(PROVIDERS, placement=placement)
    record = Record("session")
    messages = []
    for number, turn in enumerate(script):
        if turn.restarted:
            world.restart()
            world.delivered = {name[:2]: text for name, text in record.texts.items()}
            projection = ChainProjection(PROVIDERS, epoch=record.next_epoch, placement=placement, saved=record.texts)
        outcome = world.fire(turn)
        projection.observe(outcome)
        messages = [] if turn.compacted else messages
        messages.append(Message(Role.USER, f"question {number}"))
        step = projection.prepare(ModelContext(tuple(messages)))
        yield step, world, turn, turn.fate != "lost"
        if turn.fate == "lost":
            continue
        if turn.fate == "late":
            projection.observe(Fired(outcome.sections[1:], outcome.rejected, outcome.failed, outcome.compacted))
            projection.observe(outcome)
        record.add(Line("session", attachments=step.pending, step=Step.of(step, str(number))))
        projection.commit(step)
        yield projection.prepare(ModelContext(tuple(messages))), world, turn, False


@settings(max_examples=100, deadline=None)
@given(sessions, placements, appending)
def test_reader_believes_the_newest_delivered_text_of_every_source_exactly_once(script, placement, appends):
    """Static sections by their last word, dynamic ones as of this moment, each once."""
    for step, world, turn, _ in play(script, placement, appends):
        reading = read(step.input)
        assert reading.valid == {name: [text] for name, text in world.delivered.items()}
        latest = {("git", "Git"): [turn.git]} if turn.git and not turn.compacted else {}
        assert reading.latest == latest


@settings(max_examples=100, deadline=None)
@given(sessions, placements, appending)
def test_no_withdrawn_text_stands_without_the_line_that_withdraws_it(script, placement, appends):
    """Whatever is shown and not in force is repeated, replaced or named as gone further down."""
    for step, _, _, _ in play(script, placement, appends):
        assert read(step.input).stale == []


@settings(max_examples=100, deadline=None)
@given(sessions, placements, appending)
def test_stable_part_of_a_request_begins_the_next_one(script, placement, appends):
    """Within an epoch and while the conversation grows, up to the place where a cache mark belongs."""
    last = None
    for step, _, _, sent in play([turn for turn in script if not turn.compacted], placement, appends):
        if last and last.epoch == step.epoch:
            assert common(last.input, step.input).messages >= last.stable_count
        last = step if sent else last


@settings(max_examples=100, deadline=None)
@given(sessions, placements, appending)
def test_no_id_is_pending_in_two_sent_steps(script, placement, appends):
    """A journal that refuses repeated ids would accept every session."""
    seen = set()
    for step, _, _, sent in play(script, placement, appends):
        ids = {block.id for block in step.pending}
        assert not ids & seen
        seen |= ids if sent else set()


chains = st.lists(st.tuples(st.sampled_from("AB"), st.sampled_from("123")), max_size=4)


@settings(max_examples=100, deadline=None)
@given(st.lists(chains, min_size=1, max_size=8), placements)
def test_sections_of_one_name_are_all_read_and_none_twice(script, placement):
    """A foreign provider may use a label as often as it likes, and change any of its sections."""
    projection = ChainProjection(PROVIDERS, placement=placement)
    messages = []
    for number, chain in enumerate(script):
        projection.observe(Fired(tuple(static("claude", label, text) for label, text in chain)))
        messages.append(Message(Role.USER, f"question {number}"))
        step = projection.prepare(ModelContext(tuple(messages)))
        projection.commit(step)
        reading = read(step.input)
        expected = {("claude", label): [text for other, text in chain if other == label] for label, _ in chain}
        assert reading.valid == expected
        assert reading.stale == []

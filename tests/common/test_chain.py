"""Own sections join the chain; foreign ones come back as they were."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from context_common.chain import merge
from context_common.provider import Section, Stability
from context_common.wire import content_pb2
from context_common.wire.content_pb2 import ContentBlock, ContextSection, ImageBlock, TextBlock

OURS = "ours"


def wire(provider: str, label: str, text: str = "old") -> ContextSection:
    return ContextSection(provider=provider, label=label, content=[ContentBlock(text=TextBlock(text=text))], tokens=1)


def section(label: str, text: str = "new") -> Section:
    return Section(label, text, len(text), Stability.STATIC)


def shape(chain: list[ContextSection]) -> list[tuple[str, str, str]]:
    return [(s.provider, s.label, s.content[0].text.text) for s in chain]


def test_new_sections_go_last() -> None:
    chain = merge([wire("a", "1")], [section("x"), section("y")], OURS)
    assert shape(chain) == [("a", "1", "old"), (OURS, "x", "new"), (OURS, "y", "new")]


def test_a_section_of_an_earlier_turn_is_replaced_where_it_stands() -> None:
    chain = merge([wire("a", "1"), wire(OURS, "x"), wire("b", "2")], [section("x"), section("y")], OURS)
    assert shape(chain) == [("a", "1", "old"), (OURS, "x", "new"), ("b", "2", "old"), (OURS, "y", "new")]


def test_a_section_that_is_gone_leaves_the_chain() -> None:
    chain = merge([wire(OURS, "x"), wire("b", "2")], [], OURS)
    assert shape(chain) == [("b", "2", "old")]


def test_a_label_that_stands_twice_stays_once() -> None:
    chain = merge([wire(OURS, "x"), wire(OURS, "x")], [section("x")], OURS)
    assert shape(chain) == [(OURS, "x", "new")]


def test_every_field_of_an_own_section_reaches_the_wire() -> None:
    own = Section("x", "text", 7, Stability.DYNAMIC, truncated=True)
    assert merge([], [own], OURS) == [
        ContextSection(
            provider=OURS,
            label="x",
            content=[ContentBlock(text=TextBlock(text="text"))],
            tokens=7,
            stability=content_pb2.STABILITY_DYNAMIC,
            truncated=True,
        )
    ]


def test_a_text_that_utf8_cannot_carry_does_not_fail_the_turn() -> None:
    chain = merge([], [Section("caf\udce9", "caf\udce9", 1, Stability.STATIC)], OURS)
    assert shape(chain) == [(OURS, "caf\\udce9", "caf?")]


def changing(label: str) -> Section:
    return Section(label, "new", 3, Stability.DYNAMIC)


def test_behind_the_last_foreign_section_a_new_static_one_goes_before_a_dynamic_one() -> None:
    """Else the vendor's cache of the static one would end with every change of the dynamic one."""
    prior = [wire("a", "1"), wire(OURS, "x"), wire(OURS, "x (updated)")]
    chain = merge(prior, [section("x"), section("y"), changing("x (updated)")], OURS)
    assert shape(chain) == [
        ("a", "1", "old"),
        (OURS, "x", "new"),
        (OURS, "y", "new"),
        (OURS, "x (updated)", "new"),
    ]


def test_before_a_foreign_section_even_a_dynamic_one_keeps_its_place() -> None:
    prior = [wire(OURS, "x (updated)"), wire("a", "1")]
    chain = merge(prior, [section("y"), changing("x (updated)")], OURS)
    assert shape(chain) == [(OURS, "x (updated)", "new"), ("a", "1", "old"), (OURS, "y", "new")]


def test_static_sections_of_an_earlier_turn_keep_the_order_that_they_had() -> None:
    """A session that was forgotten may put its sections in another order than the chain that the host kept."""
    chain = merge([wire(OURS, "y"), wire(OURS, "x")], [section("x"), section("z"), section("y")], OURS)
    assert [label for _, label, _ in shape(chain)] == ["y", "x", "z"]


foreign = st.builds(
    ContextSection,
    provider=st.sampled_from(["a", "b", ""]),
    label=st.text(max_size=3),
    content=st.lists(
        st.one_of(
            st.builds(ContentBlock, text=st.builds(TextBlock, text=st.text(max_size=5))),
            st.builds(ContentBlock, image=st.builds(ImageBlock, data=st.binary(max_size=3))),
        ),
        max_size=2,
    ),
    tokens=st.integers(-5, 5),
    stability=st.sampled_from([0, 1, 2]),
    truncated=st.booleans(),
)
labels = st.sampled_from(["x", "y", "z"])


@given(st.lists(foreign | st.builds(wire, st.just(OURS), labels), max_size=8), st.lists(labels, unique=True))
def test_foreign_sections_come_back_equal_in_every_field_and_in_order(
    prior: list[ContextSection], own: list[str]
) -> None:
    """The host check that filters own sections out and compares the rest is satisfied for every chain."""
    chain = merge(prior, [section(label) for label in own], OURS)
    assert [s for s in chain if s.provider != OURS] == [s for s in prior if s.provider != OURS]
    assert sorted(s.label for s in chain if s.provider == OURS) == sorted(own)


@given(st.lists(foreign, max_size=5), st.lists(labels, unique=True))
def test_foreign_sections_keep_their_index_where_ours_are_new(prior: list[ContextSection], own: list[str]) -> None:
    """The host check that compares by index is satisfied for every chain that is rebuilt from empty."""
    chain = merge(prior, [section(label) for label in own], OURS)
    assert chain[: len(prior)] == prior


@given(
    st.lists(foreign | st.builds(wire, st.just(OURS), labels), max_size=8),
    st.lists(labels, unique=True),
    st.sets(labels),
)
def test_behind_the_last_foreign_section_no_dynamic_one_stands_before_a_static_one(
    prior: list[ContextSection], own: list[str], dynamic: set[str]
) -> None:
    """Whatever the chain of an earlier turn looked like."""
    chain = merge(prior, [changing(label) if label in dynamic else section(label) for label in own], OURS)
    places = [place for place, one in enumerate(chain) if one.provider != OURS]
    last = [one.label in dynamic for one in chain[places[-1] + 1 if places else 0 :]]
    assert last == sorted(last)

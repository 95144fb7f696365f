"""The set-up and the changes of matrices as parts of a URL."""

import math
from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attnviz import Edit, Scenario
from attnviz.core import limits
from attnviz.core.carried import bring_back
from attnviz.core.changes import Changes, changes_of
from attnviz.core.stages import EDITABLE, MASK
from attnviz.link.changes_text import decode_changes, encode_changes
from attnviz.link.codecs import Choice, Number, Whole, pack
from attnviz.link.set_up import Control, parameters, scenario_of
from tests.node import PageScript

CHARACTERS_A_URL_CARRIES = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._*")

finite = st.floats(width=32, allow_nan=False, allow_infinity=False) | st.sampled_from((0.0, -0.5, 1e30, 1e-30, 0.1))
edits = st.builds(Edit, st.sampled_from(EDITABLE), st.integers(0, 1023), st.integers(0, 1023), finite)
on_board = edits | st.builds(
    Edit,
    st.sampled_from(("layers.1.w_q", "layers.3.b_v", "w_o")), st.integers(0, 3), st.integers(0, 3),
    finite | st.floats(allow_nan=False, allow_infinity=False, max_value=1e37, min_value=-1e37),
) | st.builds(Edit, st.just(MASK), st.integers(0, 3), st.integers(0, 3), st.just(-math.inf))  # fmt: skip
fills = st.sampled_from(("identity", "zeros")) | st.integers(0, limits.MAX_SEED).map(lambda seed: f"random:{seed}")


@st.composite
def changes(draw: st.DrawFn) -> Changes:
    cells = {edit[:3]: edit for edit in draw(st.lists(edits, max_size=8))}
    return Changes(tuple(cells.values()), tuple(draw(st.dictionaries(st.sampled_from(EDITABLE), fills)).items()))


# Changes


@given(changes())
@example(Changes((Edit("w_q", 0, 0, 1e30), Edit("w_q", 0, 1, -1e-30))))
def test_a_url_carries_the_text_of_changes_as_it_is(made: Changes) -> None:
    text = encode_changes(made)
    assert decode_changes(text) == (made, [])
    assert set(text) <= CHARACTERS_A_URL_CARRIES
    if text:
        assert parse_qs("edits=" + text) == {"edits": [text]}
        assert urlencode({"edits": text}, safe="*") == "edits=" + text


PIECES = (
    *EDITABLE, "scores", "given", "example", "love-ai", "_", "__", "*", "3", "0", "1", "-1", "0.5", "nan", "inf",
    "1e999", "random", "identity", "zeros", "٣", "9" * 5000, "99999999999", "", " ", "\0", "\ud800", "é", "_1", "1_0",
)  # fmt: skip
almost = st.lists(st.lists(st.sampled_from(PIECES), max_size=5).map(".".join), max_size=5).map("*".join)


@given(st.text() | almost)
@example("w_q.0.0." + "9" * 5000)
@example("w_q.random." + "9" * 5000)
@example("w_q." + "9" * 5000 + ".0.1")
@example("*" * 100)
@example("w_q.-1.0.5*w_q.0.0.nan*x.0.0.1e39*b_q.zeros")
def test_any_text_is_read_and_what_is_left_fits_a_scenario(text: str) -> None:
    made, ignored = decode_changes(text)
    assert all(isinstance(part, str) for part in ignored)
    scenario, left = bring_back(Scenario(), made)
    laid_on = changes_of(scenario)
    n_changes = len(made.edits) + len(made.replaced)
    assert len(laid_on.edits) + len(laid_on.replaced) + len(left.edits) + len(left.replaced) == n_changes
    assert all(math.isfinite(edit.value) for edit in scenario.edits)


@pytest.mark.parametrize("packs", [False, True])
@given(made=changes(), rounds=st.lists(st.lists(st.tuples(st.integers(0, 9), on_board), max_size=4), max_size=4))
def test_what_the_board_adds_to_a_text_is_what_was_done_on_it(
    script: PageScript, packs: bool, made: Changes, rounds: list[list[tuple[int, Edit]]]
) -> None:
    plain = encode_changes(made)
    text, cells = pack(plain) if packs else plain, {edit[:3]: edit for edit in made.edits}
    for done in rounds:
        told = []
        for which, edit in done:
            old = dict(enumerate(cells.values())).get(which)
            if old is not None and math.isfinite(edit.value):  # it is edited again, or given back as it was drawn
                edit = Edit(*old[:3], edit.value)
            back = which % 2
            cells[edit[:3]] = edit
            if back:
                del cells[edit[:3]]
            told.append({**edit._asdict(), "value": None if back else str(edit.value).replace("inf", "Infinity")})
        text = script.run(
            """({ sender }, [text, told]) => sender.partsOf(text, told.map(({ value, ...place }) => (
              { ...place, value: value === null ? null : Number(value) })))""",
            [text, told],
        )
    read, ignored = decode_changes(text)
    assert (set(read.edits), read.replaced, ignored) == (set(cells.values()), made.replaced, [])


def test_an_edit_is_taken_back_also_from_what_is_packed() -> None:
    kept = Changes((Edit("w_q", 0, 1, 0.25),), (("w_q", "identity"),))
    both = Changes((Edit("layers.1.w_q", 0, 0, 3.0), *kept.edits), kept.replaced)
    for text in (encode_changes(both), pack(encode_changes(both))):
        assert decode_changes(f"{text}*w_q~1.0.0.drawn") == (kept, [])
        assert decode_changes(f"{text}*w_q~1.0.0.drawn*w_q~1.0.0.3.0")[0].edits == (*kept.edits, both.edits[0])


# Parameters


def test_every_control_is_called_otherwise_and_explains_each_of_its_choices() -> None:
    labels = [parameter.label for parameter in parameters().values()]
    assert len(set(labels)) == len(labels)
    for parameter in parameters().values():
        if isinstance(parameter.codec, Choice) and parameter.name != "device":
            choices = parameter.codec.choices
            assert [choice for choice in choices if not parameter.meaning(choice)] == []
            called = {parameter.called(choice) for choice in choices}
            assert len(called - {*choices} - {"ReLU", "GELU"}) >= len(choices) - 2


def test_the_defaults_make_the_published_scenario() -> None:
    scenario = scenario_of({name: parameter.default for name, parameter in parameters().items()})
    assert scenario == Scenario(embedding="published")
    assert scenario_of({}) == Scenario()
    assert {parameters()["causal"].read(raw) for raw in ("true", "True", "TRUE")} == {(True, None)}


NUMBERS = [control for control in parameters().values() if isinstance(control.codec, Whole | Number)]


@given(st.sampled_from(NUMBERS), st.text() | st.integers().map(str) | st.floats().map(str))
def test_what_a_parameter_accepts_a_scenario_takes(control: Control, raw: str) -> None:
    value, error = control.read(raw)
    assert isinstance(control.codec, Whole | Number)
    if error is None and value is not None:
        assert control.codec.low <= value <= control.codec.high
    if control.name in Scenario.__dataclass_fields__:
        assert getattr(Scenario(**{control.name: value}), control.name) == value

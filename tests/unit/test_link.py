"""The set-up and the changes of matrices as parts of a URL."""

import math
from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attnviz import Edit, Scenario, available_devices
from attnviz.core import limits
from attnviz.core.changes import Changes, bring_back, changes_of
from attnviz.core.stages import EDITABLE, MASK
from attnviz.link.changes_text import MAX_CHANGES_CHARACTERS, decode_changes, encode_changes
from attnviz.link.codecs import Choice, Number, Whole
from attnviz.link.packing import pack
from attnviz.link.set_up import Control, parameters, read_controls, scenario_of
from tests.node import PageScript
from tests.unit.helpers import HOSTILE, setups

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
def test_changes_come_back_from_their_text(made: Changes) -> None:
    assert decode_changes(encode_changes(made)) == (made, [])


@given(changes())
@example(Changes((Edit("w_q", 0, 0, 1e30), Edit("w_q", 0, 1, -1e-30))))
def test_a_url_carries_the_text_of_changes_as_it_is(made: Changes) -> None:
    text = encode_changes(made)
    assert set(text) <= CHARACTERS_A_URL_CARRIES
    if text:
        assert parse_qs("edits=" + text) == {"edits": [text]}
        assert urlencode({"edits": text}, safe="*") == "edits=" + text


def test_no_changes_are_no_text() -> None:
    assert encode_changes(Changes()) == ""
    assert decode_changes("") == (Changes(), [])


PIECES = (
    *EDITABLE, "scores", "0", "1", "-1", "0.5", "nan", "inf", "1e999", "random", "identity", "zeros", "٣", "9" * 5000,
    "99999999999", "", " ", "\0", "\ud800", "é", "_1", "1_0",
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


NONSENSE = ["nonsense", "w_q", "w_q.", "w_q.0.0", "w_q.a.0.1", "w_q.0.0.abc", "scores.0.0.1", "w_q.ones", "w_q.random.",
            "w_q.random.-1", "w_q.random.4294967296", "w_q.random.abc", "w_q.0.0.1.2.3", ".0.0.1"]  # fmt: skip


@pytest.mark.parametrize("part", NONSENSE)
def test_a_part_that_is_no_change_is_reported_and_the_rest_is_read(part: str) -> None:
    good = "w_k.0.1.0.25*w_v.identity"
    expected = Changes((Edit("w_k", 0, 1, 0.25),), (("w_v", "identity"),))
    assert decode_changes(f"{part}*{good}") == (expected, [part])
    assert decode_changes(f"{good}*{part}") == (expected, [part])


def test_the_last_change_of_a_cell_holds() -> None:
    assert decode_changes("w_q.0.0.1*w_q.0.0.2")[0].edits == (Edit("w_q", 0, 0, 2.0),)


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
            """({ host }, [text, told]) => host.partsOf(text, told.map(({ value, ...place }) => (
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


def test_nothing_is_taken_back_by_what_names_no_cell() -> None:
    text = "w_q.0.1.0.25"
    for part in ("w_q.drawn", "w_q.0.drawn", "w_q.0.1.2.drawn", "w_q.a.1.drawn", "drawn"):
        assert decode_changes(f"{text}*{part}") == (Changes((Edit("w_q", 0, 1, 0.25),)), [part])


def test_a_text_that_is_too_long_is_not_read() -> None:
    made, ignored = decode_changes("w_q.0.0.1*" * (MAX_CHANGES_CHARACTERS // 10 + 1))
    assert not made
    assert len(ignored) == 1


def test_the_largest_number_of_edits_fits_into_the_text() -> None:
    most = Changes(tuple(Edit("w_q", i // 64, 1000 + i % 24, -1.2345678e-30) for i in range(limits.MAX_EDITS)))
    assert len(most.edits) == limits.MAX_EDITS
    assert len(encode_changes(most)) <= MAX_CHANGES_CHARACTERS


# Parameters


@pytest.mark.parametrize("name", list(parameters()))
def test_every_default_is_accepted(name: str) -> None:
    parameter = parameters()[name]
    assert parameter.read(parameter.codec.encode(parameter.default)) == (parameter.default, None)
    assert parameter.write(parameter.default) == ""


def test_every_control_is_called_otherwise_and_explains_each_of_its_choices() -> None:
    labels = [parameter.label for parameter in parameters().values()]
    assert len(set(labels)) == len(labels)
    for parameter in parameters().values():
        if isinstance(parameter.codec, Choice) and parameter.name != "device":
            assert [choice for choice in parameter.codec.choices if f"{choice}: " not in parameter.help] == []


def test_the_defaults_make_the_published_scenario() -> None:
    scenario = scenario_of({name: parameter.default for name, parameter in parameters().items()})
    assert scenario == Scenario(embedding="published")
    assert scenario_of({}) == Scenario()


def test_every_setting_of_a_scenario_is_a_parameter() -> None:
    fields = set(Scenario.__dataclass_fields__) - set(EDITABLE) - {"deeper", "edits"}
    assert fields <= set(parameters())


@given(setups(whole=True))
def test_a_scenario_comes_back_from_the_values_of_its_parameters(scenario: Scenario) -> None:
    values = {name: getattr(scenario, name) for name in parameters() if hasattr(scenario, name)}
    assert scenario_of(values | {"digits": 3}) == scenario
    written = {name: parameters()[name].codec.encode(value) for name, value in values.items()}
    assert read_controls(written) == (values | {"digits": parameters()["digits"].default}, {})


ACCEPTED: dict[str, list[str]] = {
    "text": ["", "a", *HOSTILE, "a" * limits.MAX_TEXT_CHARACTERS],
    "tokenizer": ["words", "whitespace", "characters"],
    "embedding": ["published", "stable", "table"],
    "init": ["uniform", "linear", "normal"],
    "d_in": ["1", "007", "1024"],
    "d_out": ["1", "1024"],
    "d_v": ["", "1", "1024"],
    "d_ff": ["", "1", "1024"],
    "positions": ["none", "sinusoidal", "seeded"],
    "activation": ["relu", "gelu"],
    "seed": ["0", "4294967295"],
    "device": ["cpu"],
    "bias": ["true", "false"],
    "temperature": ["0.01", "1", "1e1", "100"],
    "digits": ["1", "6"],
}
REFUSED: dict[str, list[str]] = {
    "text": ["a" * (limits.MAX_TEXT_CHARACTERS + 1)],
    "tokenizer": ["", "Words", "bpe", "words "],
    "embedding": ["bert"],
    "init": ["xavier", "uniform,linear"],
    "d_in": ["", "0", "1025", "-1", "3.0", "abc", "1e3", "٣", "²", "9" * 5000, "nan", " 3"],
    "d_out": ["0", "1025"],
    "d_v": ["0", "1025", "None"],
    "d_ff": ["0", "1025", "off"],
    "positions": ["", "learned"],
    "embedding_factor": ["", "yes"],
    "same_layers": ["", "2"],
    "weighting": ["", "cosine"],
    "reads": ["", "others"],
    "second": ["a" * (limits.MAX_SECOND_CHARACTERS + 1)],
    "norm": ["", "rms"],
    "n_layers": ["0", "5", "", "two"],
    "n_heads": ["0", "17", "", "2.0"],
    "n_kv_heads": ["0", "17", "all"],
    "output": ["1"],
    "activation": ["", "tanh"],
    "seed": ["-1", "4294967296", "1.5", "None"],
    "device": ["cuda:9", "gpu", ""],
    "bias": ["1", "", "yes"],
    "causal": ["0"],
    "scale": ["off"],
    "temperature": ["0", "0.009", "100.1", "nan", "inf", "-1", "abc", ""],
    "digits": ["0", "7"],
    "what_if": ["softmax", "softmax:rows", "typed:0:1", "typed:0:1:nan", "on"],
}


@pytest.mark.parametrize(("name", "raw"), [(name, raw) for name, raws in ACCEPTED.items() for raw in raws])
def test_a_parameter_accepts(name: str, raw: str) -> None:
    assert parameters()[name].read(raw)[1] is None
    assert read_controls({name: raw})[1] == {}


@pytest.mark.parametrize(("name", "raw"), [(name, raw) for name, raws in REFUSED.items() for raw in raws])
def test_a_parameter_refuses(name: str, raw: str) -> None:
    assert parameters()[name].read(raw)[0] == parameters()[name].default
    assert list(read_controls({name: raw, "unknown": "x"})[1]) == [name]


NUMBERS = [control for control in parameters().values() if isinstance(control.codec, Whole | Number)]


@given(st.sampled_from(NUMBERS), st.text() | st.integers().map(str) | st.floats().map(str))
def test_what_a_parameter_accepts_a_scenario_takes(control: Control, raw: str) -> None:
    value, error = control.read(raw)
    assert isinstance(control.codec, Whole | Number)
    if error is None and value is not None:
        assert control.codec.low <= value <= control.codec.high
    if control.name in Scenario.__dataclass_fields__:
        assert getattr(Scenario(**{control.name: value}), control.name) == value


def test_several_bad_values_are_all_named() -> None:
    query = {"d_in": "abc", "seed": "-1", "device": "cuda:9", "causal": "true", "other": "?"}
    assert list(read_controls(query)[1]) == ["d_in", "seed", "device"]


def test_the_devices_are_those_of_this_machine() -> None:
    assert parameters()["device"].codec == Choice(tuple(available_devices()))


def test_the_table_of_parameters_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        parameters()["d_in"] = parameters()["d_out"]  # type: ignore[index]

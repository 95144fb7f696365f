"""Marking: the published numbers, and the laws of a marking."""

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import attnviz
from attnviz.core.stages import EVERY_STAGE, STAGES
from attnviz.features.check.marking import Mark, Marking, Printed, mark_fitting, mark_pipeline, verdict
from attnviz.features.check.marking.printing import half_of
from attnviz.features.tables.printed_table import as_printed
from attnviz.features.tables.reading import read_table
from attnviz.published import WorkedExample, worked_example
from attnviz.words import say
from tests.examples import examples
from tests.features.check.unit.handouts.one_head import step

RESULTS = ("q", "k", "v", "scores", "scaled_scores", "attention_weights", "context")
INPUTS = ("x", "w_q", "w_k", "w_v")


def marking_of(example: WorkedExample, **more: object) -> Marking:
    published = {name: Printed.of(rows, example.decimals) for name, rows in example.published.items()}
    return mark_pipeline({**example.inputs, **published, **more}, scale=example.scale, d_k=example.d_k)


# The published numbers


def test_a_print_out_of_rounded_inputs_is_right_within_rounding() -> None:
    example = worked_example("journey")
    marking = marking_of(example)
    assert marking.first_wrong is None
    assert {mark for table in marking.tables for row in table.marks for mark in row} == {
        Mark.RIGHT, Mark.CARRIED, Mark.HIDDEN,
    }  # fmt: skip
    says = verdict(marking)
    assert says.summary == "All 96 results are right: 78 to the last printed digit, 18 within rounding."
    assert says.tables[1] == "Scores: all 36 right, 14 of them within rounding."
    assert says.rounding[1:] == (
        "17 numbers are within rounding: digits of W_q, W_k and W_v that aren't printed can change their last place. "
        "That's no error.",
    )
    assert "wrong" not in "".join((says.summary, *says.tables, *says.rounding))
    exactly = mark_pipeline(
        {**example.inputs, **{name: Printed.of(rows, 4) for name, rows in example.published.items()}},
        rounded_inputs=False,
    )
    assert exactly.first_wrong is not None  # the hidden digits of W_q do show in the fourth decimal


def without_the_mask(seed: int, factor: float = 1.0) -> dict[str, Printed]:
    """A print-out with a causal mask, which its scaled scores don't show yet."""
    rng = np.random.default_rng(seed)
    x, w_q, w_k, w_v = (torch.tensor(rng.integers(-15, 16, shape) / 10) for shape in ((4, 3), (3, 2), (3, 2), (3, 2)))
    trace = attnviz.attend(factor * x, w_q, w_k, w_v, causal=True)
    printed = {name: Printed.of(getattr(trace, name).numpy().round(8), 8) for name in INPUTS}
    printed |= {name: Printed.of(getattr(trace, name).numpy().round(2) + 0.0, 2) for name in RESULTS}
    return printed | {"scaled_scores": Printed.of((trace.scores / 2**0.5).numpy().round(2), 2)}


@pytest.mark.parametrize("stated", [{}, {"causal": True}])
def test_scaled_scores_that_stand_without_the_mask_are_right_before_weights_that_have_it(
    stated: dict[str, Any],
) -> None:
    printed = without_the_mask(1)
    assert mark_pipeline(printed, **stated).n_not_right == 0
    scaled = printed["scaled_scores"].array.copy()
    scaled[0, 3] += 1  # where nothing that comes later shows it
    wrong = printed | {"scaled_scores": Printed.of(scaled, 2)}
    assert mark_pipeline(wrong, **stated).wrong == (("scaled_scores", 0, 3),)


def test_a_weight_that_rounds_to_0_hides_no_mask() -> None:
    printed = without_the_mask(3, 4)
    assert (np.tril(printed["attention_weights"].array) == 0).sum() > 6  # some that are seen are 0, too
    marking = mark_pipeline(printed)
    assert marking.n_not_right == 0
    assert marking.masked is not None


def test_a_table_of_a_wrong_shape_costs_itself_alone_and_what_was_taken_is_named() -> None:
    rng = np.random.default_rng(2)
    x, w_q, w_k, w_v = (torch.tensor(rng.integers(-2, 3, shape) / 1.0) for shape in ((3, 4), (4, 2), (4, 2), (4, 2)))
    trace = attnviz.attend(x, w_q, w_k, w_v)
    printed = {name: Printed.of(getattr(trace, name).numpy().round(3), 3) for name in (*INPUTS, *RESULTS)}
    printed["context"] = Printed.of((trace.attention_weights @ x).numpy().round(3), 3)
    marking, misfits = mark_fitting(printed, rounded_inputs=False)
    assert [table.stage.name for table in marking.tables] == list(RESULTS[:-1])
    assert marking.n_not_right == 0
    assert [(misfit.name, misfit.cause) for misfit in misfits] == [("context", "X was taken in place of V")]
    with pytest.raises(ValueError, match="columns"):
        mark_fitting(printed | {"w_q": Printed.of([[1.0, 2.0]], 0)})  # what all else is made from
    beyond = {name: Printed.of(np.ones(shape), 0) for name, shape in (("context", (1, 2)), ("residual_1", (1, 2)))}
    _, (misfit,) = mark_fitting(beyond | {"output": Printed.of(np.ones((2, 1)), 0)})  # without it there's no such stage
    assert misfit[::2] == ("output", "")


# What is said is what is marked


Computation = tuple[dict[str, np.ndarray], dict[str, np.ndarray], bool]
Handout = tuple[dict[str, Any], Marking, tuple[str, ...]]


def attended(inputs: dict[str, np.ndarray], **settings: Any) -> attnviz.AttentionTrace:
    tensors: dict[str, Any] = {name: torch.from_numpy(each) for name, each in inputs.items()}
    return attnviz.attend(**tensors, **settings)


@st.composite
def computations(draw: st.DrawFn, decimals: int = 3) -> Computation:
    """Inputs of two decimals, and all results rounded as a careful person prints them."""
    n, d_in, d_k, d_v = (draw(st.integers(2, 4)) for _ in range(4))
    shapes = {"x": (n, d_in), "w_q": (d_in, d_k), "w_k": (d_in, d_k), "w_v": (d_in, d_v)}
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    inputs = {name: rng.uniform(-1.5, 1.5, shape).round(2) for name, shape in shapes.items()}
    scale = draw(st.booleans())
    trace = attended(inputs, scale=scale)
    return inputs, {name: getattr(trace, name).numpy().round(decimals) for name in RESULTS}, scale


@st.composite
def handouts(draw: st.DrawFn) -> Handout:
    """Any print-out: some tables, some of them wrong or blank, followed on from what is printed or not."""
    decimals = draw(st.integers(1, 4))
    inputs, results, scale = draw(computations(decimals))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    for name in draw(st.sets(st.sampled_from(RESULTS))):
        spoiled = rng.random(results[name].shape) < draw(st.sampled_from((0.2, 1.0)))
        results[name] = np.where(
            spoiled, (results[name] + rng.normal(size=spoiled.shape)).round(decimals), results[name]
        )
        if draw(st.booleans()):
            results[name] = np.where(rng.random(spoiled.shape) < 0.3, math.nan, results[name])
    kept = draw(st.sets(st.sampled_from(RESULTS), min_size=1))
    tables = inputs | {name: Printed.of(table, decimals) for name, table in results.items() if name in kept}
    tokens = ("the", "cat", "sees", "me")[: draw(st.integers(0, 4))]
    return tables, mark_pipeline(tables, scale=scale), tokens


def counted(said: str, words: str) -> int:
    """How many are said to be so, in a list of parts."""
    return sum(int(n) for n in re.findall(rf"(?:^|[ (])(\d+) {words}(?=[,;.]|$)", said))


@given(handouts())
def test_every_sentence_says_what_is_marked(handout: Handout) -> None:
    """What is said is counted here again, from the cells and from numbers computed here."""
    tables, marking, tokens = handout
    says = verdict(marking, tokens)
    marks = [mark for table in marking.tables for row in table.marks for mark in row if mark != Mark.BLANK]
    wrong, follow = marks.count(Mark.WRONG), marks.count(Mark.FOLLOWS)
    everything = (says.summary, says.nothing_yet, says.first_error, *says.tables, *says.slips, *says.rounding)
    assert not any(re.search(r"\b1 (?:numbers|results|are|differ)\b|All 1 |all 1 ", each) for each in everything)
    assert not any("from 1" in each or "row " in each for each in everything)
    assert bool(says.nothing_yet) == (not marks)
    assert says.summary.startswith(("All ", "The one ")) == bool(marks and not wrong + follow)
    if wrong + follow:
        assert counted(says.summary, "wrong") == wrong
        assert counted(says.summary, "right, given the wrong numbers before") == follow
        differing = sum(mark != Mark.RIGHT for mark in marks)
        assert says.summary.startswith(f"{differing} of {len(marks)} result")
    assert bool(says.first_error) == bool(wrong)
    if wrong:
        assert marking.first_wrong
        table, row, column = marking.first_wrong
        name = re.search(r"(\S+)\[(\d+), (\d+)\]", says.first_error)
        assert name
        assert name.groups() == (table.stage.symbol, str(row), str(column))
        given_here = tables[table.stage.name].array[row, column]
        assert f": {as_printed(given_here, table.decimals)} should be " in says.first_error
        if row < len(tokens) and table.stage.rows != "feature":
            assert f"“{tokens[row]}”" in says.first_error
        assert as_printed(float(table.exact[row, column]), table.decimals) in says.first_error
    lines = iter(says.tables)
    for table in marking.tables:
        if table.n_cells:
            line = next(lines)
            anyway = counted(line, "wrong, even when computed from the printed tables")
            assert counted(line, "wrong(?:, even when computed from the printed tables)?") == table.count(Mark.WRONG)
            assert line.startswith(f"{table.stage.title}: ")
            if anyway:  # none of them is what the printed tables give
                off = np.abs(table.given - table.followed)[np.array(table.marks) == Mark.WRONG]
                assert (off > 0.5 * 10.0**-table.decimals).all()
    assert next(lines, None) is None


# Digits beyond the precision of what computed them prove nothing


def as_torch_prints(table: torch.Tensor) -> str:
    return re.sub(r",\s*dtype=[\w.]+", "", repr(table))


def computed_in(dtype: torch.dtype, seed: int, least: int = 1) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    n, d_in, d_k = (int(torch.randint(least, 9, (), generator=generator)) for _ in range(3))
    sizes = 10 ** torch.empty(4).uniform_(-1, 0.5, generator=generator)
    shapes = [(n, d_in), (d_in, d_k), (d_in, d_k), (d_in, d_k)]
    x, *w = (torch.randn(s, generator=generator).mul(size).to(dtype) for s, size in zip(shapes, sizes, strict=True))
    trace = attnviz.attend(x, w[0], w[1], w[2])
    return {name: getattr(trace, name) for name in (*INPUTS, *RESULTS)}


def as_few_digits(table: torch.Tensor) -> str:
    """Each number with as few digits as tell it from the others of its type, as numpy and JAX print it."""

    def written(value: float) -> str:
        there = torch.tensor(value).to(table.dtype)
        texts = (f"{value:.{n}g}" for n in range(1, 12))
        # As a float: "-40.0", which says more than "-4e+01", and is what they print.
        return next(str(float(text)) for text in texts if torch.tensor(float(text)).to(table.dtype) == there)

    return "\n".join(" ".join(map(written, row)) for row in table.double().tolist())


@given(st.integers(0, 10**6), st.sampled_from((torch.float32, torch.float64)))
def test_tensors_as_they_are_are_all_right(seed: int, dtype: torch.dtype) -> None:
    tensors = computed_in(dtype, seed)
    as_text = {
        name: read_table("\n".join(" ".join(map(str, row)) for row in table.numpy())) for name, table in tensors.items()
    }
    for tables in (tensors, {name: table.numpy() for name, table in tensors.items()}, as_text):
        marking = mark_pipeline(tables)
        assert [table.stage.name for table in marking.tables] == list(RESULTS)
        assert all(table.count(Mark.WRONG, Mark.FOLLOWS) == 0 for table in marking.tables)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    "write", [lambda table: str(table.double().tolist()), as_torch_prints, as_few_digits], ids=["whole", "4", "few"]
)
def test_half_precision_that_nobody_names_is_told_by_its_numbers(
    dtype: torch.dtype, seed: int, write: Callable[[torch.Tensor], str]
) -> None:
    tensors = computed_in(dtype, seed, least=3)
    marking = mark_pipeline({name: read_table(write(table)) for name, table in tensors.items()})
    assert all(table.count(Mark.WRONG, Mark.FOLLOWS) == 0 for table in marking.tables)
    if marking.half is not None:
        assert marking.half.dtype == str(dtype).removeprefix("torch.")
        assert any(marking.half.dtype in sentence for sentence in verdict(marking).rounding)


@pytest.mark.parametrize("seed", range(20))
def test_what_numpy_prints_of_half_precision_is_right_and_shown_as_printed(seed: int) -> None:
    tensors = computed_in(torch.float16, seed)
    for write in (str, repr):  # repr names the type
        printed = {name: read_table(write(table.numpy())) for name, table in tensors.items()}
        marking = mark_pipeline(printed)
        if write is repr or min(tensors["scores"].shape) > 2:  # of the smallest, the numbers alone may not tell it
            assert marking.n_not_right == 0
        if write is repr:
            assert verdict(marking).reading == (say("marking.reading.half", dtype="float16", digits="3"),)
        for table in marking.tables:
            assert (table.given == printed[table.stage.name].array).all()


@given(st.integers(0, 10**6))
def test_float32_is_not_taken_for_half_precision(seed: int) -> None:
    tensors = computed_in(torch.float32, seed)
    assert half_of({name: read_table(as_few_digits(table)) for name, table in tensors.items()}) is None
    for decimals in (2, 4, 6):
        printed = {name: tensors[name].double().numpy().round(decimals) for name in RESULTS}
        assert half_of({name: Printed.of(table, decimals) for name, table in printed.items()}) is None


# One table


@given(st.integers(0, 6), st.lists(st.floats(-100, 100), min_size=1, max_size=6))
def test_what_numbers_round_to_is_right(decimals: int, row: list[float]) -> None:
    printed = [float(f"{value:.{decimals}f}") for value in row]
    assert attnviz.mark([printed], [row], decimals) == ((Mark.RIGHT,) * len(row),)


@given(st.integers(0, 4), st.floats(-100, 100), st.sampled_from((-1, 1)), st.integers(1, 50))
def test_another_last_digit_is_wrong_but_for_ties(decimals: int, value: float, sign: int, units: int) -> None:
    printed = round(float(f"{value:.{decimals}f}") + sign * units * 10.0**-decimals, decimals)
    distance = abs(printed - value) * 10**decimals
    assume(abs(distance - 0.5) > 1e-3 * 10**decimals)
    assert attnviz.mark([[printed]], [[value]], decimals) == (((Mark.WRONG if distance > 0.5 else Mark.RIGHT),),)


CELLS = st.sampled_from([0.0, 1.0, 0.5, -1.5, math.inf, -math.inf, math.nan, 1e30])
NAMES = (*EVERY_STAGE, "heads.0.scores", "heads.1.scores", "heads.0.q", "heads.1.k", "heads.1.context", "nothing", 1)


@st.composite
def any_table(draw: st.DrawFn) -> Any:
    """A table of any size, of several heads, with rows of other lengths, or none."""
    rows, columns = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    table = [[draw(CELLS) for _ in range(columns)] for _ in range(rows)]
    return draw(st.sampled_from([table, table, table, [table], [table, table], [[1.0], *table], "a table", None]))


@given(
    st.dictionaries(st.sampled_from(NAMES), any_table(), max_size=6), st.none() | st.integers(0, 3),
    st.none() | st.booleans(), st.booleans(), st.none() | st.integers(0, 3),
)  # fmt: skip
@example({"attention_weights": [[0.5, 0.5], [0.5, 0.5]]}, 2, None, True, None)
@example({"v": [[[1.0], [1.0]]]}, None, None, True, None)
@example({"scaled_scores": [[0.5, 0.0]]}, 3, None, False, None)
@example({"scores": [[1.0]], "heads.0.scores": [[1.0]]}, None, None, True, None)
@example({"q": [[1, 2], [3]]}, None, None, True, None)
@settings(max_examples=examples(1000))
def test_whatever_is_there_is_marked_or_refused_in_a_sentence(
    tables: dict[Any, Any], n_heads: int | None, causal: bool | None, scale: bool, d_k: int | None
) -> None:
    try:
        marking = mark_pipeline(tables, n_heads=n_heads, causal=causal, scale=scale, d_k=d_k)
    except ValueError as error:
        said = str(error)
    else:
        said = str(marking)
    assert said
    assert "inhomogeneous" not in said


# Whole computations


@given(st.data(), computations(), st.sampled_from(RESULTS[:-1]))
def test_what_is_reckoned_from_a_wrong_cell_follows(data: st.DataObject, computed: Computation, name: str) -> None:
    inputs, results, scale = computed
    rows, columns = results[name].shape
    cell = data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, columns - 1))
    results[name][cell] += 0.2
    on = dict(inputs)
    for each in RESULTS:  # carried on from what is printed, wrong as it is
        kept = each in ("q", "k", "v") or RESULTS.index(each) <= RESULTS.index(name)
        on[each] = results[each] if kept else step(each, on, scale=scale).round(3)
    tables = inputs | {each: Printed.of(on[each], 3) for each in RESULTS}
    assert mark_pipeline(tables, scale=scale).wrong == ((name, *cell),)


@given(st.sets(st.sampled_from(list(STAGES)), min_size=1))
def test_what_to_add_where_there_is_nothing_to_mark_gives_something_to_mark(names: set[str]) -> None:
    tables = {name: [[1.0]] for name in names}
    says = verdict(mark_pipeline(tables, d_k=1))
    if says.nothing_yet:
        symbols = says.nothing_yet.partition(" alone")[0].replace(" and ", ", ").split(", ")
        assert {STAGES[name].symbol for name in names} == set(symbols)
        added = says.nothing_yet.partition("Add ")[2].partition(", for example")[0].split(" and ")
        tables |= {name: [[1.0]] for name in STAGES if STAGES[name].title in added}
        assert len(tables) == len(names) + len(added)
        says = verdict(mark_pipeline(tables, d_k=1))
    assert not says.nothing_yet
    assert says.tables


anything = st.floats() | st.sampled_from((1e308, -1e308, 1e200, 5e-324, math.inf, -math.inf, math.nan, 0.0, 1.0))


@given(st.data(), st.integers(1, 3), st.integers(1, 3), st.booleans(), st.booleans())
@pytest.mark.filterwarnings("error")
def test_no_numbers_break_a_marking(data: st.DataObject, n: int, d: int, scale: bool, causal: bool) -> None:
    shapes = {"x": (n, d), "w_q": (d, 2), "w_k": (d, 2), "w_v": (d, 1), "q": (n, 2), "k": (n, 2), "v": (n, 1),
              "scores": (n, n), "scaled_scores": (n, n), "attention_weights": (n, n), "context": (n, 1)}  # fmt: skip
    tables = {}
    for name in data.draw(st.sets(st.sampled_from(list(shapes)))):
        rows, columns = shapes[name]
        cells = data.draw(st.lists(anything, min_size=rows * columns, max_size=rows * columns))
        tables[name] = Printed.of(np.array(cells).reshape(rows, columns), 2)
    marking = mark_pipeline(tables, scale=scale, causal=causal, d_k=2)
    says = verdict(marking, ("a", "b"))
    assert all(
        len(line) < 1000 for line in (says.summary, says.first_error, *says.tables, *says.slips, *says.arithmetic)
    )

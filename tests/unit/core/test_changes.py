"""Changes of matrices are never lost: they survive, or are dropped to be offered back."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz import Edit, Scenario
from attnviz.core.carry_over import bring_back, carry_over, edit_matrix
from attnviz.core.changes import Changes, changes_of, renamed, with_changes
from attnviz.core.scenario import traced
from attnviz.core.settings import fitted
from attnviz.core.stages import EDITABLE
from tests.unit.core.test_refused import assert_for_readers
from tests.unit.helpers import WAYS, anything, cell_values, edits_of, setups, with_replaced


def as_sets(changes: Changes) -> tuple[set[Any], set[Any]]:
    return set(changes.edits), set(changes.replaced)


SETTINGS = [name for name in Scenario.__dataclass_fields__ if name not in (*EDITABLE, "deeper", "edits")]


@st.composite
def steps(draw: st.DrawFn, old: st.SearchStrategy[Scenario]) -> tuple[Scenario, Scenario]:
    """A scenario, and the set-up after some of its settings became others, often just one."""
    before, other = draw(old), draw(setups(whole=True, heads=True))
    names = draw(st.sets(st.sampled_from(SETTINGS), min_size=1, max_size=draw(st.sampled_from((1, 2, len(SETTINGS))))))
    settings = {name: getattr(before, name) for name in SETTINGS} | {name: getattr(other, name) for name in names}
    return before, Scenario(**fitted(settings, len(before.tokens))[0])


def splits(whole: Changes, one: Changes, other: Changes) -> None:
    for mine, theirs, all_of_it in zip(as_sets(one), as_sets(other), as_sets(whole), strict=True):
        assert mine | theirs == all_of_it
        assert not mine & theirs


@given(steps(anything()))
def test_nothing_is_lost_when_the_set_up_changes_and_what_is_kept_fits(step: tuple[Scenario, Scenario]) -> None:
    """And going back and bringing back restores everything."""
    old, new = step
    changes = changes_of(old)
    kept, dropped = carry_over(changes, old, new)
    splits(renamed(changes, new), kept, dropped)
    assert as_sets(changes_of(with_changes(new, kept))) == as_sets(kept)
    restored, left = bring_back(with_changes(old, kept), dropped)
    assert not left
    assert as_sets(changes_of(restored)) == as_sets(changes_of(old))
    for name in old.editable:
        assert torch.equal(restored.matrix(name), old.matrix(name))


@given(steps(anything()))
def test_bringing_back_says_what_does_not_fit_and_lays_on_all_else(step: tuple[Scenario, Scenario]) -> None:
    old, new = step
    offered = changes_of(old)
    brought, left = bring_back(new, offered)
    splits(renamed(offered, new), changes_of(brought), left)
    for edit in left.edits:
        n_rows, n_columns = brought.shape_of(edit.matrix)
        outside = edit.row >= n_rows or edit.column >= n_columns
        assert outside or edit.matrix not in brought.editable


@given(anything())
def test_with_the_same_set_up_everything_is_kept(scenario: Scenario) -> None:
    changes = changes_of(scenario)
    kept, dropped = carry_over(changes, scenario, scenario)
    assert (kept, bool(dropped)) == (changes, False)
    assert as_sets(changes_of(with_changes(scenario, kept))) == as_sets(changes)


def drawn_alike(old: Scenario, new: Scenario, name: str, row: int) -> bool:
    """Whether a matrix's row has the same numbers in both, as all of what is learned has."""
    if name == new.token_matrix:
        drawn_by = [(each.tokens[row : row + 1], each.embedding, each.d_in, each.seed) for each in (old, new)]
        return drawn_by[0] == drawn_by[1]
    if name not in new.editable:
        return False
    name = name.replace("b_", "w_")  # a bias is drawn with its W
    rows = slice(row + 1) if name == "p" else slice(None)
    return torch.equal(old.matrix(name)[rows], new.matrix(name)[rows])


ALL: dict[str, Any] = {"positions": "learned", "d_ff": 4, "output": True, "bias": True, "n_heads": 2, "d_out": 4}
OTHERS = {name: each for name, each in WAYS.items() if name not in ("reads", "n_layers")} | {
    "seed": (7,), "init": ("uniform", "normal", "linear"), "d_in": (4,), "d_out": (2,), "d_v": (2, 4),
    "d_ff": (None, 5), "embedding": ("table", "published"), "text": ("a b c", "b", "c b"), "tokenizer": ("characters",),
    "activation": ("gelu",), "bias": (False,), "output": (False,), "n_kv_heads": (1,), "scale": (False,),
    "temperature": (2.0,),
}  # fmt: skip
ONE_CHANGED = [(init, {name: each}) for init in ("uniform", "linear") for name in OTHERS for each in OTHERS[name]]


@pytest.mark.parametrize(("init", "setting"), ONE_CHANGED)
def test_edits_are_kept_on_what_is_drawn_alike_and_on_nothing_else(init: str, setting: dict[str, Any]) -> None:
    old = Scenario("a b", **ALL | {"init": init})
    settings = {name: getattr(old, name) for name in SETTINGS} | setting
    new = Scenario(**fitted(settings, len(old.tokens))[0])
    cells = [(name, row) for name in old.editable for row in range(min(2, old.shape_of(name)[0]))]
    edits = Changes(tuple(Edit(name, row, 0, 1.0) for name, row in cells))
    kept = {edit[:2] for edit in carry_over(edits, old, new)[0].edits}
    named = {(new.token_matrix if name == "e" else name, row) for name, row in cells}
    assert kept == {cell for cell in named if drawn_alike(old, new, *cell)}


@pytest.mark.parametrize(("name", "setting"), [
    ("x", {}), ("p", {"positions": "learned"}), ("mask", {"causal": True}), ("by_distance", {"positions": "relative"}),
    ("y", {"reads": "second"}), ("p_y", {"reads": "kept", "positions": "learned"}),
])  # fmt: skip
def test_numbers_that_are_given_for_each_token_go_with_another_text(name: str, setting: dict[str, Any]) -> None:
    old = Scenario("a b", second="c d", **setting)
    given = changes_of(with_replaced(old, {name: np.full(old.shape_of(name), 0.5)}))
    assert carry_over(given, old, replace(old, text="a b c", second="c")) == (Changes(), given)


def test_a_w_v_as_wide_as_it_likes_goes_with_all_behind_it_where_d_v_is_told() -> None:
    behind = [Edit("b_v", 0, 4, 1.0), Edit("w_o", 4, 4, 1.0), Edit("w_1", 4, 0, 1.0)]
    old = Scenario(bias=True, output=True, d_ff=3, w_v=np.ones((3, 5)), edits=behind)
    new = Scenario(bias=True, output=True, d_ff=3, d_v=old.d_out)
    assert carry_over(changes_of(old), old, new) == (Changes(), changes_of(old))


@given(steps(setups(whole=True)))
def test_a_mask_is_edited_on_where_it_hides_the_same(step: tuple[Scenario, Scenario]) -> None:
    old, new = step
    for edit in carry_over(Changes((Edit("mask", 0, 0, 1.0),) * ("mask" in old.editable)), old, new)[0].edits:
        n = min(len(old.tokens), len(new.tokens))
        assert torch.equal(old.matrix(edit.matrix)[:n, :n], new.matrix(edit.matrix)[:n, :n])


# Editing and replacing


@given(setups(whole=True), st.data())
def test_an_edited_matrix_has_the_given_numbers_and_only_them(setup: Scenario, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(setup.editable))
    values = setup.matrix(name).double().clone()
    cells = data.draw(st.dictionaries(st.integers(0, values.numel() - 1), cell_values(), max_size=4))
    for place, value in cells.items():
        values.view(-1)[place] = value
    edited = edit_matrix(setup, name, values)
    assert torch.equal(edited.matrix(name), values.float())
    assert {(edit.matrix, edit.row, edit.column) for edit in edited.edits} <= {
        (name, place // values.shape[1], place % values.shape[1]) for place in cells
    }
    for other in setup.editable:
        if other != name:
            assert torch.equal(edited.matrix(other), setup.matrix(other))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (torch.zeros(2, 2), "w_q needs 3 rows and 2 columns, and this has 2 rows and 2 columns"),
        (torch.zeros(6), r"w_q needs 3 rows and 2 columns, and the tensor .* number of axes"),
        (torch.tensor([[0, 0], [0, torch.nan], [0, 0]]), r"w_q\[1, 1\] would be nan. Numbers here go from"),
        (torch.tensor([[0, 0], [0, 0], [-torch.inf, 0]]), r"w_q\[2, 0\] would be -inf. Numbers here go from"),
        (torch.full((3, 2), 1e300, dtype=torch.float64), r"w_q\[0, 0\] would be 1e\+300. Numbers here go from"),
    ],
)
def test_a_bad_edited_matrix_is_named(values: torch.Tensor, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        edit_matrix(Scenario(), "w_q", values)
    assert_for_readers(caught.value)


@given(scenario=anything(), data=st.data())
def test_other_edits_make_the_scenario_that_is_made_anew_with_them(scenario: Scenario, data: st.DataObject) -> None:
    edits = data.draw(edits_of(scenario))
    traced(scenario)  # so that what is drawn for its trace is there, and would be taken with its edits
    quick, anew = scenario.with_edits(edits), replace(scenario, edits=edits)
    assert quick == anew
    for name in anew.editable:
        assert torch.equal(quick.matrix(name), anew.matrix(name))
        assert torch.equal(quick.unedited(name), scenario.unedited(name))
    made, again = traced(quick), traced(anew)
    assert all(torch.equal(made[name], again[name]) or made[name].isnan().any() for name in again.matrices)

"""What marking refuses reaches the reader as a sentence of the catalogue."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.app.text import message_of
from attnviz.core.stages import STAGES
from attnviz.features.check.marking import mark_pipeline
from attnviz.features.check.marking.handout import check_shapes
from attnviz.features.tables.printed_table import Printed
from tests.unit.core.test_refused import assert_for_readers, refusal_of

RAISERS: dict[str, Callable[[], object]] = {
    "tables that don't fit": lambda: check_shapes({"x": (3, 2), "w_q": (3, 2)}),
    "scores for other tokens": lambda: check_shapes({"x": (3, 2), "scores": (2, 3)}),
    "a bias of two rows": lambda: check_shapes({"x": (3, 2), "b_q": (2, 3)}),
    "heads as wide as all": lambda: mark_pipeline({"q": [[1, 2]], "k": [[[1, 2]], [[3, 4]]]}),
    "another d_k": lambda: mark_pipeline({"q": Printed.of([[1.0, 2.0]])}, d_k=3),
}


@pytest.mark.parametrize("name", RAISERS)
def test_what_marking_refuses_is_told_in_a_readers_words(name: str) -> None:
    error = refusal_of(RAISERS[name])
    assert error is not None, "it marks them"
    assert_for_readers(error)


@given(st.dictionaries(st.sampled_from(sorted(STAGES)), st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=2))
def test_tables_fit_or_two_of_them_are_named_with_what_has_to_be_equal(shapes: dict[str, tuple[int, int]]) -> None:
    error = refusal_of(lambda: check_shapes(shapes))
    if error is not None:
        assert_for_readers(error)
        assert sum(STAGES[name].symbol in message_of(error) for name in shapes) >= 1

"""The question of √d_k measures each divisor once, and the chosen one in its last row."""

import pytest

from attnviz import sweep_scaling
from attnviz.features.questions.about.numerics import DIMS, KEYS, TRIALS
from attnviz.features.questions.parameters import question_of


@pytest.mark.parametrize("p", ["0", "0.25", "0.5", "0.50", "1", "1.0", "1.35"])
def test_no_divisor_has_two_rows_and_the_last_is_the_chosen_one(p: str) -> None:
    question = question_of("root")
    assert question is not None
    seen = question.look(question.start, {"p": p}, 4, 1)
    swept = sweep_scaling(DIMS, trials=TRIALS, seed=0, n_keys=KEYS, scales=(float(p),))
    for table, column in zip(seen.tables, ("largest_attention_weight", "std"), strict=True):
        rows = [tuple(row) for row in table.matrix.tolist()]
        assert len(rows) == len(set(rows)) == len(set(table.rows)) == len(table.rows)
        assert rows[-1] == pytest.approx(swept[column].tolist())
    assert len(rows) == (1 if float(p) == 0 else 3 if float(p) in (0.5, 1) else 4)

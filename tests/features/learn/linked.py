"""Values for its rows in the table of links, used by tests/unit/server/test_parameter_table.py."""

from typing import Any

from hypothesis import strategies as st

from attnviz.features.learn.parameters import LEARN
from attnviz.features.learn.training import TASKS, TrainingSettings, settings_for
from attnviz.link.parameter_table import texts

rates = st.lists(st.tuples(st.integers(0, 5000), st.floats(0, 1e9)), max_size=3, unique_by=lambda each: each[0])
heads = st.sampled_from([(1, 3), (1, 8), (2, 8), (4, 16)])


@st.composite
def trainings(draw: st.DrawFn) -> TrainingSettings:
    n_heads, d_k = draw(heads)
    return settings_for(
        TASKS[draw(st.sampled_from(sorted(TASKS)))], n_heads=n_heads, d_k=d_k, seed=draw(st.integers(0, 2**32 - 1)),
        learning_rate=draw(st.floats(0, 1e9)), rates=tuple(sorted(draw(rates))), tied=draw(st.booleans()),
        frozen=draw(st.sampled_from([(), ("w_q",), ("layers.1.w_q", "w_e")])),
        d_ff=draw(st.none() | st.integers(1, 256)),
        norm=draw(st.sampled_from(["none", "pre", "post"])), steps=draw(st.integers(1, 5000)),
        until=draw(st.none() | st.integers(0, 5000)),
    )  # fmt: skip


OWN: list[tuple[object, st.SearchStrategy[Any]]] = [(texts()[LEARN].codec, trainings())]

"""Values for its rows in the table of links, used by tests/unit/server/test_parameter_table.py."""

import math
from typing import Any

from hypothesis import strategies as st

from attnviz.features.language_models.inside import INCLUDED, ModelEdit, offered
from attnviz.features.language_models.inside.edits import CELLS, EVEN, MASK, OFF
from attnviz.features.models.link_texts import COMPARED_TEXT, EDITS_TEXT, MODEL_TEXT, WRITTEN_TEXT, Compared

up_to_9999 = st.integers(0, 9999)
model_edits = (
    st.builds(
        ModelEdit,
        up_to_9999,
        up_to_9999,
        st.sampled_from(CELLS),
        up_to_9999,
        up_to_9999,
        st.floats(-(2.0**127), 2.0**127, width=32),
    )
    | st.builds(ModelEdit, up_to_9999, up_to_9999, st.just(MASK), up_to_9999, up_to_9999, st.just(-math.inf))
    | st.builds(ModelEdit, up_to_9999, up_to_9999, st.just(OFF))
    | st.builds(ModelEdit, up_to_9999, st.none(), st.just(EVEN))
)
compared = (Compared(), Compared("sentence"), Compared("before"), Compared("model", name=INCLUDED))
of_heads = st.builds(Compared, st.just("head"), st.none() | st.tuples(st.integers(0, 999), st.just(7)))
OWN: list[tuple[object, st.SearchStrategy[Any]]] = [
    (MODEL_TEXT, st.sampled_from(tuple(offered()))),
    (
        EDITS_TEXT,
        st.lists(
            model_edits, max_size=4, unique_by=lambda edit: (edit.layer, edit.head, edit.matrix, edit.row, edit.column)
        ).map(tuple),
    ),
    (WRITTEN_TEXT, st.lists(st.integers(0, 9_999_999), max_size=50).map(tuple)),
    (COMPARED_TEXT, st.sampled_from(compared) | of_heads),
]

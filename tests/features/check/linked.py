"""Values for its rows in the table of links, used by tests/unit/server/test_parameter_table.py."""

from typing import Any

from hypothesis import strategies as st

from attnviz.features.check.parameters import (
    ANSWERS_TEXT,
    CHECK,
    CHECK_TEXT,
    CHOICES,
    DEFAULTS,
    EXAMPLES,
    EXERCISE,
    FORM_TEXT,
    Checked,
    published_names,
)
from tests.features.check.unit.test_exercises import exercises

typed = st.fixed_dictionaries(
    {},
    optional={
        "check.table.x": st.text(st.characters(exclude_categories=["Cs"]), max_size=20).filter(
            lambda text: "\0" not in text
        ),
        "check.table.e": st.just("1 2"),
        "check.table.b_q": st.just("1 2"),
        "check.table.hidden": st.just("1 2\n3"),
        "check.d_k": st.integers(1, 1024),
        "check.n_heads": st.integers(1, 16),
        "check.temperature": st.floats(0.01, 100),
        **{name: st.sampled_from(choices) for name, choices in CHOICES.items()},
    },
)
OWN: list[tuple[object, st.SearchStrategy[Any]]] = [
    (
        CHECK_TEXT,
        st.just(Checked(CHECK))
        | st.sampled_from(published_names()).map(lambda name: Checked(EXAMPLES, name))
        | st.builds(lambda made, of: Checked(EXERCISE, exercise=made, for_student=of), exercises, st.booleans()),
    ),
    (
        ANSWERS_TEXT,
        st.dictionaries(
            st.sampled_from(["q.0.0", "scores.1.4", "context.4.3"]),
            st.text("0123456789.,-−/ ½%", min_size=1, max_size=20),
        ),
    ),
    (FORM_TEXT, typed.map(lambda form: {key: value for key, value in form.items() if value != DEFAULTS[key]})),
]

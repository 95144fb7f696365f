"""What the page is sent of its heatmaps is what the trace has: its numbers bit by bit, and frames around its cells."""

from base64 import b64decode

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attnviz import Edit, Scenario
from attnviz.core.rules import in_rows
from attnviz.core.scenario import traced
from attnviz.figures import picture_on_page
from attnviz.figures.picture import FINITE, MASKED, NAN, NEGATIVE, POSITIVE
from tests.unit.helpers import setups

HUGE = tuple(Edit(name, 0, 0, 1e30) for name in ("x", "w_q", "w_k"))


@given(setup=setups(max_tokens=6), overflows=st.booleans())
def test_every_finite_number_is_there_bit_by_bit_and_every_other_cell_by_what_it_is(
    setup: Scenario, overflows: bool
) -> None:
    made = traced(Scenario(setup.text, causal=setup.causal, edits=HUGE) if overflows else setup).seen_from(0)
    for name, matrix in made.matrices.items():
        sent, wanted = picture_on_page(made, name, digits=4, query=0, alt=""), in_rows(matrix).numpy()
        got = np.frombuffer(b64decode(sent["numbers"]), "<f4").reshape(len(sent["rows"]), len(sent["columns"]))
        kinds = (
            np.frombuffer(b64decode(sent["kinds"]), "u1").reshape(got.shape) if sent["kinds"] else np.zeros(got.shape)
        )
        hidden = made.masked_in(name)
        hidden = np.zeros(got.shape, bool) if hidden is None else hidden & ((wanted == 0) | (wanted == -np.inf))
        assert ((kinds == MASKED) == hidden).all()
        for kind, is_it in ((NAN, np.isnan(wanted)), (POSITIVE, wanted == np.inf), (NEGATIVE, wanted == -np.inf)):
            assert ((kinds == kind) == (is_it & ~hidden)).all()
        finite = kinds == FINITE
        assert (got[finite].view("<u4") == wanted.astype("<f4")[finite].view("<u4")).all()
        assert np.isnan(got[~finite]).all()

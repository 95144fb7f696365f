"""A head of a real model on the board: every cell says in the page what Python says, down to the model's weights."""

import pytest

from attnviz import explain, look_into
from attnviz.board.data import board_data
from attnviz.words import say
from tests.node import PageScript
from tests.unit.small_models import MODELS, TEXT, bart, tokenizer
from tests.unit.test_read_by import in_percent

_SAID = """({ made: madeOf, explain: { explain } }, data) => {
  const made = madeOf(data);
  return Object.keys(data.matrices).map((matrix) => {
    const { rows, columns } = made.matrices[matrix];
    return [matrix, explain(made, { matrix, row: rows - 1, column: columns - 1 }).text];
  });
}"""


@pytest.mark.parametrize("name", ["included", "GPT-2", "Llama", "BART"])
def test_each_matrix_of_a_head_is_told_as_python_tells_it(script: PageScript, name: str) -> None:
    if name == "included":
        view = look_into("all-MiniLM-L6-v2", text=TEXT)
    elif name == "BART":
        view = look_into(bart(), tokenizer(), TEXT, target="der kater")
    else:
        view = look_into(MODELS[name](), tokenizer(), TEXT)
    whole = view.layers[-1].whole(1)
    told = dict(script.run(_SAID, board_data(None, whole, 0, 4)))
    assert list(told) == list(whole.stages)
    assert {"x", "w_q", "w_k", "w_v", "q", "scores", "context", "w_o", "output"} <= set(told)
    for matrix, text in told.items():
        rows, columns = (1, *whole[matrix].shape)[-2:]
        assert text == str(explain(whole, matrix, rows - 1, columns - 1)), matrix


_EVEN = """({ made: madeOf, reads_most: { evenShareOfRow, readsInPercent } }, data) => {
  const made = madeOf(data);
  return data.tokens.map((_, query) => [...readsInPercent(made, query), evenShareOfRow(made, query)]);
}"""


def test_of_a_layer_that_is_even_no_even_share_is_told_that_a_mask_would_make_another(script: PageScript) -> None:
    views = {name: look_into(MODELS[name](), tokenizer(), TEXT, edits=["0.even"]) for name in ("GPT-2", "BERT")}
    told = {name: script.run(_EVEN, board_data(None, view.layers[0].whole(1), 0, 4)) for name, view in views.items()}
    n = len(views["BERT"].tokens)
    assert [even for _, even, _ in told["GPT-2"][:-1]] == [""] * (n - 1)  # each may read some of all alone
    assert [even for _, _, even in told["GPT-2"]] == [None] * (n - 1) + [1 / n]
    assert {even for _, even, _ in told["BERT"]} == {say("board.even", even=in_percent(1 / n))}

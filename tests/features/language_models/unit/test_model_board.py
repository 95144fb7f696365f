"""A head of a real model on the board: every cell says in the page what Python says, down to the model's weights."""

from typing import Any

import pytest

from attnviz import explain, look_into
from attnviz.board.data import board_data
from attnviz.words import say
from tests.node import PageScript
from tests.unit.rules.test_even_share import in_percent
from tests.unit.small_kinds import olmo2, qwen3
from tests.unit.small_models import MODELS, TEXT, WRITTEN_OUT, bart, gemma2, gpt_oss, t5, tokenizer

_SAID = """({ made: madeOf, explain: { explain }, difference: { difference } }, data) => {
  const made = madeOf(data);
  const given = data.stages.filter(({ rule }) => rule === "given").map(({ name }) => [name, made.matrices[name]]);
  const said = Object.keys(data.matrices).map((matrix) => {
    const { rows, columns } = made.matrices[matrix];
    return [matrix, explain(made, { matrix, row: rows - 1, column: columns - 1 }).text];
  });
  const { unexplained, largest } = difference(made, Object.fromEntries(given));
  return [said, unexplained, String(largest)];
}"""


_MODELS = MODELS | WRITTEN_OUT | {"Gemma 2": gemma2, "GPT-OSS": gpt_oss, "Qwen 3": qwen3, "OLMo 2": olmo2}


@pytest.mark.parametrize(
    "name",
    ["included", "BERT", "GPT-2", "GPT-NeoX", "Llama", "BART", "Gemma 2", "T5", "GPT-OSS", "Bloom", "Qwen 3", "OLMo 2"],
)
def test_each_matrix_of_a_head_is_told_as_python_tells_it(script: PageScript, name: str) -> None:
    if name == "included":
        view = look_into("all-MiniLM-L6-v2", text=TEXT)
    elif name in ("BART", "T5"):
        view = look_into({"BART": bart, "T5": t5}[name](), tokenizer(), TEXT, target="der kater")
    else:
        view = look_into(_MODELS[name](), tokenizer(), TEXT)
    whole = view.attending[-2 if name == "T5" else -1].whole(1)
    said, unexplained, largest = script.run(_SAID, board_data(None, whole, 0, 4))
    assert unexplained is None
    assert float(largest) < 1e-4
    told = dict(said)
    assert list(told) == list(whole.stages)
    assert {"x", "w_q", "w_k", "w_v", "q", "scores", "context", "w_o", "output"} <= set(told)
    for matrix, text in told.items():
        rows, columns = (1, *whole[matrix].shape)[-2:]
        assert text == str(explain(whole, matrix, rows - 1, columns - 1)), matrix


_TOLD = """(page, [data, place]) => {
  const made = page.made(data);
  const { inOneSentence, whatIsNext, dividedBy } = page.explain;
  const next = [...made.stages.values()].find(({ name }) => name === "divided_scores");
  return [inOneSentence(made, place, null), whatIsNext(made, place), page.most_read.readsInPercent(made, place.row)[1],
    next ? dividedBy(next.settings) : ""];
}"""


def test_of_a_head_with_a_sink_no_share_is_even_and_capped_scores_are_not_said_to_go_into_the_softmax_at_once(
    script: PageScript,
) -> None:
    def told(make: Any, matrix: str) -> list[str]:
        trace = look_into(make(), tokenizer(), TEXT).attending_at(1).whole(1)
        place = {"matrix": matrix, "row": 3, "column": 1}
        found: list[str] = script.run(_TOLD, [board_data(None, trace, 0, 4), place])
        return found

    sentence, _, even, _ = told(gpt_oss, "attention_weights")
    assert "reads" in sentence
    assert even == ""
    assert told(MODELS["GPT-2"], "attention_weights")[2] != ""
    _, after, _, divided = told(gemma2, "scores")
    assert after == say("board.next.product", symbol="S_d")
    assert divided == "÷ √5"
    assert "softmax" in told(gemma2, "capped_scores")[1]


_EVEN = """({ made: madeOf, most_read: { evenShareOfRow, readsInPercent } }, data) => {
  const made = madeOf(data);
  return data.tokens.map((_, query) => [...readsInPercent(made, query), evenShareOfRow(made, query)]);
}"""


def test_of_a_layer_that_is_even_the_even_share_is_of_what_its_mask_lets_each_token_read(script: PageScript) -> None:
    views = {name: look_into(MODELS[name](), tokenizer(), TEXT, edits=["0.even"]) for name in ("GPT-2", "BERT")}
    heads = {name: view.attending_at(0).whole(1) for name, view in views.items()}
    told = {name: script.run(_EVEN, board_data(None, head, 0, 4)) for name, head in heads.items()}
    n = len(views["BERT"].tokens)
    shares = [1 / (query + 1) for query in range(n)]
    assert [share for _, _, share in told["GPT-2"]] == shares
    assert [bool(even) for _, even, _ in told["GPT-2"]] == [False] + [True] * (n - 1)  # the first reads itself alone
    assert told["GPT-2"][3][1] == say("board.even", even=in_percent(1 / 4))
    assert {even for _, even, _ in told["BERT"]} == {say("board.even", even=in_percent(1 / n))}


def test_of_a_layer_that_is_even_what_its_mask_hides_is_masked_as_without_the_change() -> None:
    """Cells that no token may read are drawn and told as hidden, and not as shares of 0 %."""
    for name in ("GPT-2", "Llama", "Mistral"):
        model = MODELS[name]()
        plain, even = (look_into(model, tokenizer(), TEXT, edits=edits).heads[0, 1] for edits in ([], ["0.even"]))
        hidden, own = even.masked_in("attention_weights"), plain.masked_in("attention_weights")
        assert hidden is not None
        assert own is not None
        assert (hidden == own).all()
        assert even.causal == plain.causal

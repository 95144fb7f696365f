"""What has a wrong type is refused in a sentence that names it, by every public function and for every argument."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

import attnviz
from attnviz import Scenario, documents, export, figures
from tests.said import joined, of_features
from tests.unit.project.public_calls import HELD, Call, call_of, public_functions, public_methods

SCENARIO = Scenario("a cat")
TRACE = attnviz.trace(SCENARIO)
STACK = Scenario("a cat", d_out=3, n_layers=2)
FUNCTIONS = public_functions()

WRONG: dict[str, Any] = {
    "text": "nothing of the kind", "none": None, "int": -7, "float": float("nan"), "list": [object()],
    "tensor": torch.ones(2, 2), "bytes": b"\xff", "object": object(), "dict": {"a": 1},
}  # fmt: skip


def raw_errors(call: Call) -> list[str]:
    """Return what is refused otherwise than by a sentence, of all arguments and wrong values."""
    call()
    raw = []
    for argument in call.takes:
        for kind, wrong in WRONG.items():
            try:
                call(**{argument: wrong})
            except ValueError as error:
                told = str(error)
                if len(told) < 20 or " " not in told or len(told) > 600:
                    raw.append(f"{argument}, {kind}: {told}")
            except Exception as error:
                raw.append(f"{argument}, {kind}: {error!r}")
    return raw


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_wrong_argument_is_taken_or_refused_in_a_sentence(name: str) -> None:
    """Whatever it is: no error speaks of Python's or torch's own doings."""
    raw = raw_errors(call_of(name.rpartition(".")[2], FUNCTIONS[name]))
    assert not raw, "\n".join(raw)


@pytest.mark.parametrize("held", HELD)
def test_a_wrong_argument_of_a_method_is_taken_or_refused_in_a_sentence(held: str) -> None:
    methods = public_methods(HELD[held]())
    raw = [f"{name}: {each}" for name, made in methods.items() for each in raw_errors(call_of(name, made))]
    assert not raw, "\n".join(raw)


def test_what_the_contract_names_is_tried() -> None:
    named = {"attend", "explain", "mark", "mark_pipeline", "show_board", "tokenize",
             "trace", "by_class", "Scenario", "SelfAttention",
             "documents.board_page",
             "figures.heatmap"}  # fmt: skip
    assert named.union(*of_features("NAMED")) <= FUNCTIONS.keys()


SAID: dict[str, Callable[[], Any]] = {
    "shown is 3, expected a Scenario, a text, an AttentionTrace or a Question": lambda: documents.board_page(3),  # type: ignore[arg-type]
    "trace is tensor(": lambda: figures.heatmap(torch.ones(2, 2), "q"),  # type: ignore[arg-type]
    "'4' can't be digits: take a whole number from 1 to 6": lambda: figures.heatmap(TRACE, "q", digits="4"),  # type: ignore[arg-type]
    "scenario is 'text', expected the Scenario": lambda: attnviz.explain(TRACE, "q", 0, 0, scenario="text"),  # type: ignore[arg-type]
    "text is b'{}', expected the text of a JSON file": lambda: export.scenario_from_json(b"{}"),  # type: ignore[arg-type]
    "tokens is {'a'}, expected several texts in order": lambda: attnviz.attend(*[[[1]]] * 4, tokens={"a"}),  # type: ignore[arg-type]
    "x holds complex numbers": lambda: Scenario("a b", x=torch.ones(2, 3, dtype=torch.complex64)),
    **joined("WRONG"),
}


@pytest.mark.parametrize("sentence", SAID)
def test_the_sentence_names_the_argument_its_value_and_what_is_expected(sentence: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        SAID[sentence]()
    assert sentence in str(refused.value)


def test_a_text_stands_for_its_scenario() -> None:
    assert documents.board_page("a cat") == documents.board_page(SCENARIO)
    assert documents.report("a cat", TRACE) == documents.report(SCENARIO, TRACE)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.half, torch.float64, torch.int32, torch.bool])
def test_matrices_of_any_real_precision_are_taken_as_they_are(dtype: torch.dtype) -> None:
    given = torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]).to(dtype)
    assert torch.equal(Scenario("a b", x=given).matrix("x"), given.float())


def test_what_one_layer_hands_to_the_next_is_explained() -> None:
    made = attnviz.trace(STACK)
    for name in made.layers[1].matrices:
        told = attnviz.explain(made.layers[1], name, 0, 0, scenario=STACK)
        assert told.value == float(made.layers[1][name].reshape(-1)[0])
    (handed,) = [name for name in made.layers[1].matrices if name.startswith("layers.0.")]
    assert "what layer 0 made" in attnviz.explain(made.layers[1], handed, 0, 0, scenario=STACK).text
    with pytest.raises(ValueError, match=r"in the trace and .* in the scenario"):
        attnviz.explain(made.layers[1], handed, 0, 0, scenario=Scenario("a cat", d_out=3, n_layers=2, seed=4))

"""A question as a reader may leave it, and its numbers: those of torch, and those of numpy in float64."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from hypothesis import strategies as st

from attnviz import AttentionTrace, Edit, Scenario
from attnviz.core.changes import changes_of, with_changes
from attnviz.core.scenario import traced
from attnviz.core.stages import STAGES
from attnviz.core.tokens import token_labels
from attnviz.features.questions.about.order import in_words
from attnviz.features.questions.questions import QUESTIONS, Exponent, Option, Question
from attnviz.words.numbers import written
from tests.unit.helpers import EXTREMES, cell_values, in_float64

IDS = [question.name for question in QUESTIONS]


@dataclass(frozen=True)
class World:
    """A question as a reader left it."""

    question: Question
    scenario: Scenario
    options: dict[str, str]
    digits: int
    query: int

    @property
    def is_start(self) -> bool:
        return self.scenario == self.question.start and self.options == self.question.defaults

    @property
    def sentences(self) -> tuple[str, ...]:
        return self.question.look(self.scenario, self.options, self.digits, self.query).sentences

    @cached_property
    def now(self) -> AttentionTrace:
        return traced(self.scenario)

    @cached_property
    def start(self) -> AttentionTrace:
        return traced(self.question.start)

    @cached_property
    def ref(self) -> dict[str, np.ndarray]:
        return in_float64(self.now)

    @cached_property
    def ref_start(self) -> dict[str, np.ndarray]:
        return in_float64(self.start)

    @property
    def names(self) -> tuple[str, ...]:
        return token_labels(self.now.tokens, 40)

    def write(self, value: Any) -> str:
        return written(float(value), self.digits)

    def shown(self, matrix: Any) -> list[str]:
        return [self.write(value) for value in np.asarray(matrix).flatten()]

    def pair(self, title: str) -> tuple[np.ndarray, np.ndarray]:
        """A matrix in float32, now and at the start."""
        (name,) = [name for name, stage in STAGES.items() if stage.title == title]
        return array(getattr(self.now, name)), array(getattr(self.start, name))

    def exact_gap(self, title: str) -> float:
        (name,) = [name for name, stage in STAGES.items() if stage.title == title]
        now = self.ref.get(name, array(getattr(self.now, name)))
        return gap(now, self.ref_start.get(name, array(getattr(self.start, name))))


def array(tensor: torch.Tensor) -> np.ndarray:
    return np.asarray(tensor.double().numpy())


def gap(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).max())


TYPED = st.sampled_from((*EXTREMES, 1.0, 40.0, -300.0, 1e6)) | cell_values()


@st.composite
def left_by_a_reader(draw: st.DrawFn, question: Question) -> World:
    scenario = question.start
    options = {option.name: draw(_choice(option)) for option in question.options}
    for _ in range(draw(st.integers(0, 4))):
        changed = draw(_something_done(question, scenario, options))
        scenario = changed or scenario
    digits, query = draw(st.integers(1, 6)), draw(st.integers(0, len(scenario.tokens) - 1))
    return World(question, scenario, options, digits, query)


def _choice(option: Option | Exponent) -> st.SearchStrategy[str]:
    if isinstance(option, Exponent):
        return st.integers(0, 20).map(lambda step: f"{step * 0.05:.4g}")
    return st.sampled_from(tuple(option.choices))


@st.composite
def _something_done(
    draw: st.DrawFn, question: Question, scenario: Scenario, options: dict[str, str]
) -> Scenario | None:
    """A button, a slider, or a number typed; None where the page refuses it."""
    editable = [name for name in question.board_matrices(options) if name in scenario.editable and not question.fixed]
    kinds = [*("press",) * bool(question.presets), *("move",) * bool(question.controls)]
    kinds += [*("order",) * (question.name == "order"), *("type",) * bool(editable)]
    try:
        match draw(st.sampled_from(kinds)) if kinds else None:
            case "press":
                return question.pressed(draw(st.sampled_from(question.presets)), scenario)
            case "move":
                control = draw(st.sampled_from(question.controls))
                steps = draw(st.integers(0, round((control.high - control.low) / control.step)))
                return control.change(scenario, control.low + steps * control.step)
            case "order":  # which older links have
                return in_words(scenario, " ".join(draw(st.permutations(scenario.tokens))))
            case "type":
                name = draw(st.sampled_from(editable))
                rows, columns = scenario.shape_of(name)
                cell = name, draw(st.integers(0, rows - 1)), draw(st.integers(0, columns - 1))
                edits = (*(edit for edit in scenario.edits if edit[:3] != cell), Edit(*cell, draw(TYPED)))
                changes = changes_of(scenario)
                return with_changes(scenario, type(changes)(edits, changes.replaced))
    except ValueError:
        pass
    return None


def every_choice(option: Option | Exponent) -> tuple[str, ...]:
    """All that a choice can be; of an exponent, each step of its slider."""
    return tuple(f"{step * 0.05:.4g}" for step in range(21)) if isinstance(option, Exponent) else tuple(option.choices)

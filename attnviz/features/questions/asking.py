"""A question: its example, its answer, and what the example shows."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pkgutil import resolve_name
from typing import Any, Literal, get_args

import torch

from attnviz.core.attention import AttentionTrace
from attnviz.core.scenario import SETTINGS, Scenario, traced
from attnviz.core.scenario.chance import is_drawn
from attnviz.core.stages import ALL_STAGES
from attnviz.explanation.numbers_from import edits_of
from attnviz.features.questions.offered import QUERY, Control, Exponent, Option, Preset, View
from attnviz.features.questions.predicted import Prediction
from attnviz.features.questions.seeing import Now, QuestionView
from attnviz.features.questions.variations import PROJECTIONS
from attnviz.features.sweeps.settings import SweepSettings
from attnviz.predicting.choice_question import ChoiceQuestion, by_size, compared
from attnviz.words import DeferredText, listed, plural, say

Subject = Literal["meaning", "shapes", "scaling", "softmax", "order", "training"]
SUBJECTS: tuple[Subject, ...] = get_args(Subject)
OF_OLDER_LINKS = frozenset({"scale"})  # `scale` may differ in older links, whose scores weren't divided


@dataclass(frozen=True)
class Question:
    """A question with its short answer, its starting example, and its view.

    - `name`: the key of its texts in the catalogue.
    - `start`: the example that it begins with; `follows`: the token that is followed first.
    - `predicts`: the prediction that is asked before any answer; `then`: the view that a button offers afterwards.
    - `makes`: returns the example to draw, given the choices; if it's `fixed`, readers can't change its numbers.
    - `card`: the matrices of its small picture in the list; if there are none, its tables are shown.
    - `shows`: the matrices on the board; without any, there's no board. `hidden`: the matrices that a choice hides;
      `in_hall`: the only matrices that are shown while presenting.
    - `seen`: returns the sentences and tables about the example.
    - `framed`: whether the board's frames tell learned matrices from computed ones; `notes`: sizes in symbols beside
      the board's titles.
    - `varies`: the settings that its controls change; `fits`: what else makes an example one of this question's own.
    - `drawn`: the given matrices whose numbers are random, too.
    - `sweep`: settings for the page Scaling; `step`: the related step of the lesson; `what_if`: whether the panel What
      if is related, too.
    """

    name: str
    start: Scenario
    seen: Callable[[Now], QuestionView]
    subject: Subject
    predicts: Prediction
    then: View | None = None
    makes: Callable[[Scenario, Mapping[str, str]], Scenario] = lambda scenario, _: scenario
    fixed: bool = False
    follows: int = 1
    card: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    presets: tuple[Preset, ...] = ()
    controls: tuple[Control, ...] = ()
    options: tuple[Option | Exponent, ...] = ()
    hidden: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    in_hall: tuple[str, ...] = ()
    framed: bool = False
    notes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    varies: frozenset[str] = frozenset()
    fits: Callable[[Scenario], bool] = lambda _: True
    drawn: tuple[str, ...] = ()
    sweep: SweepSettings | None = None
    step: int = 1
    what_if: bool = False

    def first_followed(self, scenario: Scenario) -> int:
        """Return the token followed at first: the question's, or the second."""
        return self.follows if scenario.text == self.start.text else min(1, len(scenario.tokens) - 1)

    @property
    def slug(self) -> str:
        """The question's name in links."""
        return self.name.replace("_", "-")

    title = DeferredText("questions.{its.name}.title")
    try_this = DeferredText("questions.{its.name}.try")

    def on_page(self, digits: int, told: bool | None = None) -> dict[str, Any]:
        """Return the data for a page; with `told`, of only one board."""
        return resolve_name("attnviz.features.questions.documents:asked_data")(self, digits, told)

    @property
    def answer(self) -> tuple[str, ...]:
        """The answer, in paragraphs."""
        return tuple(say(f"questions.{self.name}.{paragraph}") for paragraph in ("answer", "more"))

    def now(self, scenario: Scenario, options: Mapping[str, str], digits: int = 4, query: int = 0) -> Now:
        """Return the current example together with the question's original one."""
        chosen = {**self.defaults, **options}
        return Now(
            scenario, self.start, traced(scenario), traced(self.start), self.drawn_trace(scenario, chosen), chosen,
            digits, query, is_start=scenario == self.start and chosen == self.defaults,
        )  # fmt: skip

    def drawn_trace(self, scenario: Scenario, options: Mapping[str, str]) -> AttentionTrace:
        """Return the trace that the page draws, with the chosen options."""
        return traced(self.makes(scenario, options))

    @property
    def acted(self) -> tuple[Scenario, dict[str, str]]:
        """The starting example and choices, after the predicted act."""
        return self.predicts.after(self.start, self.defaults)

    @property
    def asked(self) -> ChoiceQuestion:
        """The prediction, with the right choice for this example."""
        predicts, key = self.predicts, f"questions.{self.name}"
        follow = self.first_followed(self.start)
        one, other = (
            predicts.number(self.now(*each, query=follow)) for each in ((self.start, self.defaults), self.acted)
        )
        before, after, right = predicts.written(one), predicts.written(other), predicts.answer(one, other)
        return ChoiceQuestion(
            self.slug,
            say(f"{key}.predict.act"),
            say("predicting.then", now=say(f"{key}.predict.now", number=before)),
            {
                each: predicts.called(each, one)
                for each in by_size(self.slug, self.predicts.order)
                if each in (right, *predicts.wrong)
            },
            right,
            compared(say(f"{key}.predict.now", number=after), before, after),
            {each: say(f"{key}.wrong.{each}") for each in predicts.wrong},
        )

    def look(self, scenario: Scenario, options: Mapping[str, str], digits: int, query: int = 0) -> QuestionView:
        """Return the sentences and tables about the current example."""
        now = self.now(scenario, options, digits, query)
        if not now.is_finite:
            return QuestionView((say("seen.too_large"),))
        seen = self.seen(now)
        return replace(seen, sentences=(say("seen.start"), *seen.sentences)) if now.is_start else seen

    @property
    def pictured(self) -> tuple[tuple[torch.Tensor, str], ...]:
        """The matrices on its card, from the start, with their roles."""
        if self.card:
            trace = traced(self.start)
            return tuple((trace[name], trace.stages[name].role) for name in self.card)
        return tuple((table.matrix, table.role) for table in self.look(self.start, {}, 2).tables)

    def viewed(
        self, view: View, scenario: Scenario, options: Mapping[str, str], query: int
    ) -> tuple[Scenario, dict[str, str], int]:
        """Return the example, choices and followed token that a view makes."""
        if isinstance(view, Preset):
            follows = query if view.follows is None else view.follows
            return self.pressed(view, scenario), dict(options), follows
        chosen = {name: choice for name, choice in view.items() if name != QUERY}
        return scenario, {**options, **chosen}, int(view.get(QUERY, query))

    def pressed(self, preset: Preset, scenario: Scenario) -> Scenario:
        """Return the example as a button changes it."""
        return preset.change(self.start if preset.of == "start" else scenario)

    def random_in_words(self, scenario: Scenario) -> str:
        """Say which matrices are random, of those that the shown ones need."""
        vectors = scenario.token_matrix
        behind = (vectors, *PROJECTIONS) if {"w_v", "v", "context"} & set(self.shows) else (vectors, "w_q", "w_k")
        random = [name for name in behind if is_drawn(scenario, name) or self._is_drawn(scenario, name)]
        if not random:
            return ""
        changed = sum(edit.matrix in random for edit in scenario.edits)
        places = {"names": listed([ALL_STAGES[name].symbol for name in random])}
        if changed:
            return say("question_page.random_changed", numbers=plural(changed, "number"), **places)
        return say("question_page.random", **places)

    def _is_drawn(self, scenario: Scenario, name: str) -> bool:
        drawn = name in self.drawn and getattr(scenario, name) != getattr(self.start, name)
        return drawn and len(edits_of(scenario, [name])) < math.prod(scenario.shape_of(name))

    def board_matrices(self, options: Mapping[str, str]) -> tuple[str, ...]:
        """Return the board's matrices, less those that a choice hides."""
        hidden = {name for chosen in options.values() for name in self.hidden.get(chosen, ())}
        return tuple(name for name in self.shows if name not in hidden)

    @property
    def defaults(self) -> dict[str, str]:
        """The choices at the start."""
        return {option.name: option.default for option in self.options}

    def is_own(self, scenario: Scenario) -> bool:
        """Whether this question's controls and board could make this example."""
        views = (*self.presets, self.then, *self.predicts.wrong.values())
        made = [view.change(self.start) for view in views if isinstance(view, Preset)]
        if self.fixed:
            return scenario in (self.start, *made)
        if not (self.fits(scenario) and all(c.low <= c.read(scenario) <= c.high for c in self.controls if c.whole)):
            return False
        return any(self._is_like(scenario, own) for own in (self.start, *made))

    def _is_like(self, scenario: Scenario, own: Scenario) -> bool:
        same = (getattr(scenario, name) == getattr(own, name) for name in SETTINGS if name not in self.varies)
        free = bool(self.varies & {"text", "d_in", "d_out", "d_v"})
        return all(same) and (free or all(scenario.shape_of(w) == own.shape_of(w) for w in own.editable))

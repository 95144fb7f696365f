"""The table of all parameters that a link may have.

Links have had two forms. In the first, until 22 November 2026, questions, what is chosen there and the steps of the
lesson were numbers; in the second they are names. A link of any form opens for ever.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from attnviz.core.limits import MAX_HEADS, MAX_LAYERS, MAX_SEED
from attnviz.link.codecs import Choice, Names, Number, Text, Whole
from attnviz.link.model_texts import (
    BY_LAYERS,
    COMPARED_TEXT,
    EDITS_TEXT,
    HEAD_TEXT,
    MODEL_TEXT,
    MOST_OF_LEARNED,
    MOST_OF_TRAINING,
    NEXT_TEXT,
    ORDER_TEXT,
    TOP,
    WRITTEN_TEXT,
    Compared,
    TrainingText,
)
from attnviz.link.page_texts import (
    CELL_TEXT,
    CHECK_TEXT,
    HEADS_THERE,
    LAYERS_THERE,
    SCENARIO_TEXT,
    SWEEP_TEXT,
    TOKENS,
    Checked,
    Counted,
    cell_fits,
)
from attnviz.link.parameter import Parameter
from attnviz.link.question_text import PREDICTED_TEXT, fits_question
from attnviz.link.set_up import EDITS, EXAMPLE, EXAMPLES, MOST_GIVEN, parameters
from attnviz.link.typed_form import (
    ANSWERS_TEXT,
    FORM_TEXT,
    MOMENT,
    MOST_MOMENTS,
    MOST_OF_ANSWERS,
    MOST_OF_PLAYLIST,
    PLAYLIST,
    PLAYLIST_TEXT,
)
from attnviz.models import INCLUDED, STORIES
from attnviz.scaling.settings import SweepSettings
from attnviz.teach.lesson import STEPS
from attnviz.teach.masked import WAYS
from attnviz.teach.questions import QUESTIONS
from attnviz.training import TASKS, settings_for
from attnviz.training.settings import MAX_LAYERS as MAX_MODEL_LAYERS
from attnviz.training.settings import MAX_MODEL_HEADS, MAX_STEPS
from attnviz.words import say

QUERY, VIEW, CELL, PINNED, SWEEP, STEP, HIDE = "query", "view", "cell", "pinned", "sweep", "step", "hide"
HEAD, LAYER = "head", "layer"
MODEL, SENTENCE, MODEL_HEAD = "model", "model_text", "model_head"
MODEL_EDITS, MODEL_KIND, MODEL_TARGET, MODEL_OTHER = "model_edits", "model_kind", "model_target", "model_other"
MODEL_QUERY, MODEL_CELL = "model_query", "model_cell"  # what is picked and pinned on the board of a head
MODEL_ORDER, MODEL_NEXT, MODEL_COMPARE, MODEL_COMPARED = (
    "model_order", "model_next", "model_compare", "model_compared",
)  # fmt: skip
MODEL_WRITTEN, MODEL_TOP_P, MODEL_SEED, MODEL_CACHE = "model_written", "model_top_p", "model_seed", "model_cache"
MODEL_WHY = "model_why"  # the token whose score is explained
MODEL_SECOND = "model_second"  # the second text of a pair
MODEL_FROM, MODEL_PLACE = "model_from", "model_place"  # another sentence, and the layer and token taken of it
LEARN, LEARN_TEXT, LEARN_STEP = "learn", "learn_text", "learn_step"
LEARN_SENTENCE, LEARN_HEAD, LEARN_OFF = "learn_sentence", "learn_head", "learn_off"
LEARN_QUERY = "learn_query"
OPEN = "open"  # what is to be opened on the page, once
QUESTION, NUMBERS, CHECK, TABLES, ANSWERS = "question", "numbers", "check", "tables", "answers"
LEFT_OUT = "left_out"
PREDICTED, PREDICTIONS, OFF = "predicted", "predictions", "off"
PRESENT, PRESENTED = "present", "1"  # large, for a lecture room, on any page
BITS = "bits"  # how the panel What if computes with numbers of 16 bits
B_BITS = "b_bits"  # how B is computed on Compare, where its numbers have 16 bits
BOARD, HEATMAPS, WHAT_IF, KEEP = "board", "heatmaps", "what_if", "keep"
# Eleven tables of 64 by 64 numbers with 8 decimals pack to 310 000 characters. Chromium and the app's server take
# these, and half a million, too; what is longer stays in the session alone.
MOST_OF_TABLES = 400_000
MOST_TOGETHER = 470_000  # of all texts; the server reads 524 288 characters, and the controls need some
FIRST_HEAD = (3, 1)  # in which, in the included model, "it" reads "animal"
WORKED_HEADS: Mapping[str, tuple[tuple[int, int], ...]] = MappingProxyType(
    {INCLUDED: (FIRST_HEAD, (5, 11)), STORIES: ((2, 0), (2, 2), (1, 1))}  # pronoun, agreement, recall: see its card
)  # of models that come along, those that are pointed out while they read their own example
MOST_OF_SENTENCE = 4000  # about 800 words: more than most models read
MOST_OF_MODEL_EDITS = 4000
MOST_OF_LEARNED_SENTENCE = 300


@cache
def texts() -> Mapping[str, Parameter]:
    """Return the parameters that are no controls, by name.

    What comes earlier may be needed to read what comes later.

    >>> texts()["step"].read("one-score")
    ('one-score', None)
    """
    rows = (*_of_the_board(), *_of_models(), *_of_training(), *_of_the_lesson())
    return MappingProxyType({row.name: row for row in rows})


def _of_the_board() -> tuple[Parameter, ...]:
    """Return the parameters of the set-up, the board, and the sweep."""
    return (
        EDITS,
        _counted(QUERY, None, Whole(0, 99_999, may_be_blank=True), TOKENS, 1, "links.used.second"),
        _counted(HEAD, 0, Whole(0, MAX_HEADS - 1), HEADS_THERE),
        _counted(LAYER, 0, Whole(0, MAX_LAYERS - 1), LAYERS_THERE),
        Parameter(VIEW, BOARD, Choice((BOARD, HEATMAPS)), 20),
        Parameter(OPEN, "", Choice(("", WHAT_IF, KEEP)), 20, 2),
        Parameter(BITS, "", Choice(("", *WAYS)), 40, 2),
        Parameter(B_BITS, "", Choice(("", *WAYS)), 40, 2),
        Parameter(CELL, None, CELL_TEXT, used="playground.cell.none", fit=cell_fits, of_scenario=True),
        Parameter(PINNED, None, SCENARIO_TEXT, MOST_GIVEN, message="links.kept"),
        Parameter(SWEEP, SweepSettings(), SWEEP_TEXT, 2000, message="links.sweep.parts"),
    )


def _counted(name: str, default: int | None, codec: Whole, of: Counted, since: int = 2, used: str = "") -> Parameter:
    return Parameter(name, default, codec, 20, since, used=used, fit=of.fit, words=of.words, of_scenario=True)


def example_of(model: str) -> str | None:
    """Return a bundled model's example sentence; None for any other model."""
    return {INCLUDED: say("models.page.example"), STORIES: say("models.page.story")}.get(model)


def first_model() -> Mapping[str, str]:
    """Return the link texts with which the page Language model opens.

    The default of `model` is another one: older links without a model open that.
    """
    layer, head = WORKED_HEADS[STORIES][0]
    story = say("models.page.story")  # before which the model puts a token
    return {MODEL: STORIES, SENTENCE: story, MODEL_HEAD: f"{layer}.{head}", MODEL_QUERY: str(len(story.split()))}


def texts_of_models() -> tuple[str, ...]:
    """Return the names of the page Language model's parameters."""
    return tuple(row.name for row in _of_models())


def _of_models() -> tuple[Parameter, ...]:
    """Return the rows of the page of models that people use."""
    return (
        Parameter(MODEL, INCLUDED, MODEL_TEXT, 400, 2),
        Parameter(SENTENCE, say("models.page.example"), Text(MOST_OF_SENTENCE), MOST_OF_SENTENCE, 2),
        Parameter(MODEL_HEAD, FIRST_HEAD, HEAD_TEXT, 20, 2),
        Parameter(MODEL_QUERY, None, Whole(0, 99_999, may_be_blank=True), 20, 2),
        Parameter(MODEL_CELL, None, CELL_TEXT, 60, 2, used="playground.cell.none"),
        Parameter(MODEL_EDITS, (), EDITS_TEXT, MOST_OF_MODEL_EDITS, 2),
        Parameter(MODEL_KIND, "encoder", Choice(("encoder", "decoder", "cross")), 20, 2),
        Parameter(MODEL_TARGET, "", Text(MOST_OF_SENTENCE), MOST_OF_SENTENCE, 2),
        Parameter(MODEL_SECOND, "", Text(MOST_OF_SENTENCE), MOST_OF_SENTENCE, 2),
        Parameter(MODEL_OTHER, say("models.use.example"), Text(MOST_OF_SENTENCE), MOST_OF_SENTENCE, 2),
        Parameter(MODEL_ORDER, (BY_LAYERS, 0), ORDER_TEXT, 20, 2),
        Parameter(MODEL_NEXT, (1.0, TOP), NEXT_TEXT, 40, 2),
        Parameter(MODEL_WRITTEN, (), WRITTEN_TEXT, MOST_OF_SENTENCE, 2),
        Parameter(MODEL_WHY, None, Whole(0, 9_999_999, may_be_blank=True), 20, 2),
        Parameter(MODEL_FROM, "", Text(MOST_OF_SENTENCE), MOST_OF_SENTENCE, 2),
        Parameter(MODEL_PLACE, None, HEAD_TEXT, 20, 2, used="links.used.none"),
        Parameter(MODEL_TOP_P, 1.0, Number(0.01, 1.0), 20, 2),
        Parameter(MODEL_SEED, 0, Whole(0, MAX_SEED), 20, 2),
        Parameter(MODEL_CACHE, "", Choice(("", "off")), 20, 2),
        Parameter(MODEL_COMPARE, Compared(), COMPARED_TEXT, 400, 2),
        Parameter(MODEL_COMPARED, "", Text(MOST_OF_SENTENCE), MOST_OF_SENTENCE, 2),
    )


def _of_training() -> tuple[Parameter, ...]:
    """Return the rows of a model that is trained."""
    heads_off = (f"{layer}-{head}" for layer in range(MAX_MODEL_LAYERS) for head in range(MAX_MODEL_HEADS))
    return (
        Parameter(
            LEARN,
            settings_for(TASKS["agreement"], seed=5),  # which doesn't read by chance what it learns to read
            TrainingText(),
            MOST_OF_TRAINING,
            2,
            message="learn.link.parts",
            used="learn.link.used",
        ),
        Parameter(LEARN_TEXT, "", Text(MOST_OF_LEARNED), MOST_OF_LEARNED, 2),
        Parameter(LEARN_STEP, None, Whole(0, MAX_STEPS, may_be_blank=True), 20, 2, used="learn.link.last"),
        Parameter(LEARN_SENTENCE, "", Text(MOST_OF_LEARNED_SENTENCE), MOST_OF_LEARNED_SENTENCE, 2),
        Parameter(LEARN_HEAD, (0, 0), HEAD_TEXT, 20, 2),
        Parameter(LEARN_QUERY, None, Whole(0, 99_999, may_be_blank=True), 20, 2),
        Parameter(LEARN_OFF, (), Names(tuple(heads_off)), 60, 2, message="learn.link.off"),
    )


def _of_the_lesson() -> tuple[Parameter, ...]:
    """Return the rows of the lesson, of questions and of exercises."""
    questions = ("", *(question.slug for question in QUESTIONS))
    steps = tuple(step.name for step in STEPS)
    return (
        Parameter(STEP, steps[0], Choice(steps), 40),
        Parameter(QUESTION, "", Choice(questions), 40, used="question_page.used"),
        Parameter(NUMBERS, "", Text(20_000), 20_000, message="links.example", fit=fits_question),
        Parameter(PREDICTED, {}, PREDICTED_TEXT, 1000, 2),
        Parameter(PREDICTIONS, "on", Choice(("on", OFF)), 20, 2),
        Parameter(PRESENT, "", Choice(("", PRESENTED)), 20, 2),
        Parameter(HIDE, (), Names(tuple(parameters())), 300, message="links.hidden"),
        Parameter(PLAYLIST, (), PLAYLIST_TEXT, MOST_OF_PLAYLIST, 2, used="links.used.none"),
        Parameter(MOMENT, 1, Whole(1, MOST_MOMENTS), 20, 2),
        Parameter(CHECK, Checked(), CHECK_TEXT, 128),
        Parameter(ANSWERS, {}, ANSWERS_TEXT, MOST_OF_ANSWERS, since=2),
        Parameter(TABLES, {}, FORM_TEXT, MOST_OF_TABLES, message="check.link.parts"),
        # Kept only where nothing else is said: any other example stands for all its parameters.
        Parameter(EXAMPLE, "", Choice(EXAMPLES), message="check.examples.unknown"),
    )


@cache
def once() -> Mapping[str, Parameter]:
    """Return the parameters that are read once, and not kept."""
    return MappingProxyType({LEFT_OUT: Parameter(LEFT_OUT, "", Text(1000), 1000)})


@cache
def table() -> Mapping[str, Parameter]:
    """Return every row by its name.

    >>> table()["cell"].read("scores.1.5")
    (('scores', 1, 5), None)
    """
    return MappingProxyType({**parameters(), **texts(), **once()})

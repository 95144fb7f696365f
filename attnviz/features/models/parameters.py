"""A language model in a link: which, its sentence, head and changes."""

from collections.abc import Mapping
from types import MappingProxyType

from attnviz.core.limits import MAX_SEED
from attnviz.features.language_models.inside import INCLUDED, STORIES
from attnviz.features.models.link_texts import (
    BY_LAYERS,
    COMPARED_TEXT,
    EDITS_TEXT,
    MODEL_TEXT,
    NEXT_TEXT,
    ORDER_TEXT,
    TOP,
    WRITTEN_TEXT,
    Compared,
)
from attnviz.link.codecs import HEAD_TEXT, Choice, Number, Text, Whole
from attnviz.link.page_texts import CELL_TEXT
from attnviz.link.parameter import Parameter
from attnviz.words import say

MODEL, SENTENCE, MODEL_HEAD = "model", "model_text", "model_head"
MODEL_EDITS, MODEL_KIND, MODEL_TARGET, MODEL_OTHER = "model_edits", "model_kind", "model_target", "model_other"
MODEL_QUERY, MODEL_CELL = "model_query", "model_cell"  # the picked token and the pinned cell on a head's board
MODEL_ORDER, MODEL_NEXT, MODEL_COMPARE, MODEL_COMPARED = (
    "model_order", "model_next", "model_compare", "model_compared",
)  # fmt: skip
MODEL_WRITTEN, MODEL_TOP_P, MODEL_SEED, MODEL_CACHE = "model_written", "model_top_p", "model_seed", "model_cache"
MODEL_WHY = "model_why"  # the token whose score is explained
MODEL_SECOND = "model_second"  # the second text of a pair
MODEL_FROM, MODEL_PLACE = "model_from", "model_place"  # another sentence; layer and token whose vector is taken from it
FIRST_HEAD = (3, 1)  # in this head of the included model, "it" reads "animal"
WORKED_HEADS: Mapping[str, tuple[tuple[int, int], ...]] = MappingProxyType(
    {INCLUDED: (FIRST_HEAD, (5, 11)), STORIES: ((2, 0), (2, 2), (1, 1))}  # pronoun, agreement, recall: see its card
)  # heads of included models that the page points out if they read their own example
MOST_OF_SENTENCE = 4000  # characters, about 800 words: more than most models read
MOST_OF_MODEL_EDITS = 4000


def example_of(model: str) -> str | None:
    """Return a bundled model's example sentence; None for any other model."""
    return {INCLUDED: say("models.page.example"), STORIES: say("models.page.story")}.get(model)


def first_model() -> Mapping[str, str]:
    """Return the link texts with which the page Language model opens.

    They name the model, because its default is another one, which older links without a model open.
    """
    layer, head = WORKED_HEADS[STORIES][0]
    story = say("models.page.story")  # the model puts a token before it, so its last word has this index
    return {MODEL: STORIES, SENTENCE: story, MODEL_HEAD: f"{layer}.{head}", MODEL_QUERY: str(len(story.split()))}


def texts_of_models() -> tuple[str, ...]:
    """Return the names of the page Language model's parameters."""
    return tuple(row.name for row in rows())


def rows() -> tuple[Parameter, ...]:
    """Return the rows of the page Language model."""
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

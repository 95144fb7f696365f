"""Codecs for links to the page Language model."""

from dataclasses import dataclass

from attnviz.core.limits import MAX_TEMPERATURE, MIN_TEMPERATURE
from attnviz.features.language_models.inside import offered
from attnviz.features.language_models.inside.edits import as_edits
from attnviz.link.codecs import HEAD_TEXT, Choice, FunctionCodec, Number, Parts, UnreadableError, Whole
from attnviz.words import say

BY_LAYERS = "layers"
# All but the first are figures that are measured for each head.
ORDERS = (BY_LAYERS, "before", "after", "itself", "first", "same", "special", "entropy")
MOST_ABOVE, MOST_TOP = 99, 50
TOP = 10  # the next word is drawn from this many words, unless the link has another number
_MOST_WRITTEN = 500  # tokens; with seven digits each, and points between them, they have 4000 characters
_TOKEN = Whole(0, 9_999_999)
HEAD, SENTENCE, MODEL, BEFORE = "head", "sentence", "model", "before"


@dataclass(frozen=True)
class Compared:
    """What a head is compared with; a blank `kind` means nothing.

    Otherwise it's another `head`, another sentence, another model by its `name`, or the model without its changes.
    """

    kind: str = ""
    head: tuple[int, int] | None = None
    name: str = ""


def _model(raw: str) -> str:
    """Return an offered model's short name."""
    if raw not in offered():
        raise UnreadableError
    return raw


def _names() -> str:
    return ", ".join(offered())


def _compared(raw: str) -> Compared:
    kind, _, rest = raw.partition(".")
    if kind == HEAD:
        return Compared(HEAD, HEAD_TEXT.decode(rest) if rest else None)
    if kind == MODEL:
        return Compared(MODEL, name=_model(rest) if rest else "")
    if raw not in ("", SENTENCE, BEFORE):
        raise UnreadableError
    return Compared(raw)


def _compared_text(value: Compared) -> str:
    rest = value.name if value.head is None else HEAD_TEXT.encode(value.head)
    return f"{value.kind}.{rest}" if rest else value.kind


def _tokens(raw: str) -> tuple[int, ...]:
    numbers = raw.split(".") if raw else []
    if len(numbers) > _MOST_WRITTEN:
        raise UnreadableError
    return tuple(_TOKEN.decode(each) or 0 for each in numbers)


MODEL_TEXT = FunctionCodec(
    _model, str, lambda: say("links.expected.choice", choices=_names())
)  # a model by its short name
EDITS_TEXT = FunctionCodec(  # changes of a model: 3.1.off*2.even*3.1.q.10.0=2.5
    lambda raw: as_edits(raw.split("*")) if raw else (),
    lambda edits: "*".join(map(str, edits)),
    lambda: say("models.change.expected"),
)
ORDER_TEXT = Parts(  # before.30: heads are ordered by the figure "before", and shown if it's above 30 percent
    (Choice(ORDERS), Whole(0, MOST_ABOVE)),
    ".",
    lambda: say("models.page.order_expected", orders=", ".join(ORDERS)),
    rest="0",
)
NEXT_TEXT = Parts(  # 0.7*10: the next token is drawn at this temperature, from this many tokens
    (Number(MIN_TEMPERATURE, MAX_TEMPERATURE), Whole(1, MOST_TOP)),
    "*",
    lambda: say("models.use.expected", low=MIN_TEMPERATURE, high=MAX_TEMPERATURE, most=MOST_TOP),
)
WRITTEN_TEXT = FunctionCodec(_tokens, lambda ids: ".".join(map(str, ids)), lambda: say("write.expected"))  # 12.7.9
COMPARED_TEXT = FunctionCodec(  # head.5.11, sentence, model.gpt2 or before
    _compared, _compared_text, lambda: say("models.compare.expected", models=_names())
)

"""Codecs of what the page Real model keeps in a link."""

from dataclasses import dataclass

from attnviz.core.limits import MAX_TEMPERATURE, MIN_TEMPERATURE
from attnviz.link.codecs import Number, UnreadableError, Whole
from attnviz.models import ModelEdit, offered
from attnviz.models.edits import as_edits
from attnviz.models.offering import short_of
from attnviz.words import say

BY_LAYERS = "layers"
ORDERS = (BY_LAYERS, "before", "after", "itself", "first", "same", "special", "entropy")  # measured figures, all others
MOST_ABOVE, MOST_TOP = 99, 50
_MOST_WRITTEN = 500  # tokens of seven digits, with points between them, have 4000 characters
_ABOVE, _TOP, _TEMPERATURE = Whole(0, MOST_ABOVE), Whole(1, MOST_TOP), Number(MIN_TEMPERATURE, MAX_TEMPERATURE)


class ModelText:
    """A model by its short name; links of before have a folder's whole path, which opens where it is offered still."""

    def decode(self, raw: str) -> str:
        if (name := short_of(raw)) is None:
            raise UnreadableError
        return name

    def encode(self, value: str) -> str:
        return value

    def expected(self) -> str:
        return say("links.expected.choice", choices=", ".join(offered()))


class HeadText:
    """A head of a model as ``3.1``: its layer and its number there."""

    def decode(self, raw: str) -> tuple[int, int]:
        numbers = raw.split(".")
        if len(numbers) != 2 or not all(n.isascii() and n.isdigit() and len(n) < 4 for n in numbers):
            raise UnreadableError
        return int(numbers[0]), int(numbers[1])

    def encode(self, value: tuple[int, int]) -> str:
        return ".".join(map(str, value))

    def expected(self) -> str:
        return say("models.page.expected")


class ModelEditsText:
    """Changes of a model as ``3.1.off*2.even*3.1.q.10.0=2.5``."""

    def decode(self, raw: str) -> tuple[ModelEdit, ...]:
        try:
            return as_edits(raw.split("*")) if raw else ()
        except ValueError:
            raise UnreadableError from None

    def encode(self, value: tuple[ModelEdit, ...]) -> str:
        return "*".join(map(str, value))

    def expected(self) -> str:
        return say("models.change.expected")


class OrderText:
    """The order of a model's heads, and above which percent of it they are shown, as ``before.30``."""

    def decode(self, raw: str) -> tuple[str, int]:
        order, _, above = raw.partition(".")
        if order not in ORDERS:
            raise UnreadableError
        return order, _ABOVE.decode(above or "0") or 0

    def encode(self, value: tuple[str, int]) -> str:
        order, above = value
        return f"{order}.{above}" if above else order

    def expected(self) -> str:
        return say("models.page.order_expected", orders=", ".join(ORDERS))


class NextText:
    """How the next token is drawn: the temperature, and of how many tokens, as ``0.7*10``."""

    def decode(self, raw: str) -> tuple[float, int]:
        temperature, _, top = raw.partition("*")
        return float(_TEMPERATURE.decode(temperature)), _TOP.decode(top) or 1

    def encode(self, value: tuple[float, int]) -> str:
        temperature, top = value
        return f"{_TEMPERATURE.encode(temperature)}*{top}"

    def expected(self) -> str:
        return say("models.use.expected", low=MIN_TEMPERATURE, high=MAX_TEMPERATURE, most=MOST_TOP)


class WrittenText:
    """The tokens that a model wrote, by their numbers, as ``12.7.9``."""

    def decode(self, raw: str) -> tuple[int, ...]:
        numbers = raw.split(".") if raw else []
        if not all(n.isascii() and n.isdigit() and len(n) < 8 for n in numbers) or len(numbers) > _MOST_WRITTEN:
            raise UnreadableError
        return tuple(map(int, numbers))

    def encode(self, value: tuple[int, ...]) -> str:
        return ".".join(map(str, value))

    def expected(self) -> str:
        return say("write.expected")


HEAD, SENTENCE, MODEL, BEFORE = "head", "sentence", "model", "before"


@dataclass(frozen=True)
class Compared:
    """What a head is compared with: another `head` of the model, another sentence, another model by its `name`, or the
    model without its changes; blank for nothing."""

    kind: str = ""
    head: tuple[int, int] | None = None
    name: str = ""


class ComparedText:
    """What a head of a model is compared with, as ``head.5.11``, ``sentence``, ``model.gpt2`` or ``before``."""

    def decode(self, raw: str) -> Compared:
        kind, _, rest = raw.partition(".")
        if kind == HEAD:
            return Compared(HEAD, HeadText().decode(rest) if rest else None)
        if kind == MODEL:
            return Compared(MODEL, name=ModelText().decode(rest) if rest else "")
        if raw not in ("", SENTENCE, BEFORE):
            raise UnreadableError
        return Compared(raw)

    def encode(self, value: Compared) -> str:
        rest = value.name if value.head is None else HeadText().encode(value.head)
        return f"{value.kind}.{rest}" if rest else value.kind

    def expected(self) -> str:
        return say("models.compare.expected", models=", ".join(offered()))

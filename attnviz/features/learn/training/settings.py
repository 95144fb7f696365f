"""The settings that determine a training, and their limits."""

from dataclasses import dataclass, replace
from typing import Any

from attnviz.core.limits import MAX_SEED, MAX_TEXT_CHARACTERS, RefusedError, check_whole, in_short
from attnviz.core.seeding import POSITIONS, Position
from attnviz.core.stages import ACTIVATIONS

MAX_STEPS = 5000
MAX_BATCH = 128
MAX_LAYERS = 3
MAX_MODEL_HEADS = 4
MAX_D_MODEL = 64
MAX_D_FF = 256
MAX_LENGTH = 64
MAX_RATE = 1e30  # what an optimizer computes with it still fits into float32
MAX_VOCABULARY = 200
LEARNED_POSITIONS = ("learned", "rotary", "none")
MODEL_NORMS = ("none", "pre", "post")
OPTIMIZERS = ("adam", "sgd")
CUTS = ("characters", "words")


@dataclass(frozen=True)
class TrainingSettings:
    """All that determines a training; equal settings give equal numbers.

    The model has `n_layers` layers of `n_heads` heads, with `d_model` numbers for a token, and `d_k` for a query of all
    heads together; `d_ff` is None without a feed-forward step. `tied` uses the token table as unembedding, too. The
    task "text" learns `text`, cut into `cut` ("characters" or "words"), `length` tokens at a time. `heads_alike` starts
    all heads of a layer with the same numbers. `frozen` names matrices that keep their initial numbers, such as
    ``("w_q",)``. `rates` are changes of the learning rate: (first step, rate). With `until`, the training ends after
    this many of its `steps`, as if it had been stopped: the numbers up to there are the same.

    Raises ``ValueError`` for a value outside of its limits, and says what they are.
    """

    task: str = "agreement"
    seed: int = 0
    steps: int = 600
    optimizer: str = "adam"
    learning_rate: float = 0.02
    batch_size: int = 64
    n_layers: int = 1
    n_heads: int = 1
    d_model: int = 8
    d_k: int = 4
    positions: str = "learned"
    norm: str = "none"
    d_ff: int | None = None
    activation: str = "relu"
    tied: bool = False
    bias: bool = True
    heads_alike: bool = False
    frozen: tuple[str, ...] = ()
    rates: tuple[tuple[int, float], ...] = ()
    text: str = ""
    cut: str = "characters"
    length: int = 32
    until: int | None = None

    def __post_init__(self) -> None:
        for name, low, high in _WHOLE:
            value = getattr(self, name)
            if value is not None or name not in _MAY_BE_NONE:
                object.__setattr__(self, name, check_whole(name, value, low, high))
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                value = getattr(self, name)
                raise RefusedError("choice", name=name, value=value, allowed=choices)
        for name in ("tied", "bias", "heads_alike"):
            if not isinstance(getattr(self, name), bool):
                value = getattr(self, name)
                raise RefusedError("flag", name=name, value=value)
        object.__setattr__(self, "learning_rate", check_rate(self.learning_rate))
        if self.d_k % self.n_heads:
            raise RefusedError("model_heads", heads=self.n_heads, d_k=self.d_k)
        if self.position.turns and self.d_k // self.n_heads % 2:
            raise RefusedError("model_rotary", d_k=self.d_k)
        check_text(self.text)
        self._check_sequences()

    def _check_sequences(self) -> None:
        if not isinstance(self.frozen, list | tuple) or not all(isinstance(each, str) for each in self.frozen):
            raise ValueError(f"frozen is {in_short(self.frozen)}, expected the names of matrices")
        object.__setattr__(self, "frozen", tuple(self.frozen))
        pairs = isinstance(self.rates, list | tuple) and all(
            isinstance(each, list | tuple) and len(each) == 2 for each in self.rates
        )
        if not pairs:
            raise ValueError(f"rates is {in_short(self.rates)}, expected pairs of a step and the rate from there on")
        rates = tuple((check_whole("step", step, 0, MAX_STEPS), check_rate(rate)) for step, rate in self.rates)
        if [step for step, _ in rates] != sorted({step for step, _ in rates}):
            raise ValueError(f"rates are {in_short(rates)}, expected steps one after the other")
        object.__setattr__(self, "rates", rates)

    @property
    def position(self) -> Position:
        """How the model knows positions; added vectors are learned."""
        return POSITIONS[self.positions]

    @property
    def end(self) -> int:
        """The number of steps after which it ends.

        >>> TrainingSettings(steps=9).end, TrainingSettings(steps=9, until=4).end
        (9, 4)
        """
        return self.steps if self.until is None else min(self.steps, self.until)

    @property
    def whole(self) -> "TrainingSettings":
        """The same settings, without an early end."""
        return self if self.until is None else replace(self, until=None)

    def rate_at(self, step: int) -> float:
        """Return the learning rate of a step.

        >>> settings = TrainingSettings(learning_rate=0.5, rates=[(10, 0.1)])
        >>> settings.rate_at(9), settings.rate_at(10)
        (0.5, 0.1)
        """
        return [self.learning_rate, *(rate for since, rate in self.rates if since <= step)][-1]


_WHOLE = (
    ("seed", 0, MAX_SEED), ("steps", 1, MAX_STEPS), ("batch_size", 1, MAX_BATCH), ("n_layers", 1, MAX_LAYERS),
    ("n_heads", 1, MAX_MODEL_HEADS), ("d_model", 1, MAX_D_MODEL), ("d_k", 1, MAX_D_MODEL), ("d_ff", 1, MAX_D_FF),
    ("length", 2, MAX_LENGTH), ("until", 0, MAX_STEPS),
)  # fmt: skip
_MAY_BE_NONE = ("d_ff", "until")
_CHOICES: dict[str, tuple[str, ...]] = {
    "optimizer": OPTIMIZERS, "positions": LEARNED_POSITIONS, "norm": MODEL_NORMS, "activation": tuple(ACTIVATIONS),
    "cut": CUTS,
}  # fmt: skip


def check_rate(value: Any) -> float:
    """Return a learning rate from 0 to 1e30 as a float.

    Raises ``ValueError`` for any other value.

    >>> check_rate(1e9)
    1000000000.0
    """
    good = isinstance(value, int | float) and not isinstance(value, bool)
    if not good or not 0 <= value <= MAX_RATE:
        raise RefusedError("number", name="learning_rate", value=value, low=0, high=MAX_RATE)
    return float(value)


def check_text(text: Any) -> None:
    """Raise ``ValueError`` unless it's a text of at most 20,000 characters."""
    if not isinstance(text, str):
        raise RefusedError("text", name="text", value=text)
    if len(text) > MAX_TEXT_CHARACTERS:
        raise RefusedError("text_too_long", characters=len(text), most=MAX_TEXT_CHARACTERS)

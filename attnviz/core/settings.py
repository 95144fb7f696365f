"""The settings of a scenario, apart from its matrices, checked and made plain."""

from collections.abc import Mapping
from typing import Any

from attnviz.core import limits
from attnviz.core.devices import check_device_name
from attnviz.core.errors import RefusedError
from attnviz.core.seeding import INITS, POSITIONS, SEEDED_EMBEDDINGS
from attnviz.core.stages import ACTIVATIONS
from attnviz.core.tokens import TOKENIZERS

EMBEDDINGS = ("published", *SEEDED_EMBEDDINGS)
CHOICES: Mapping[str, tuple[str, ...]] = {
    "tokenizer": tuple(TOKENIZERS),
    "embedding": EMBEDDINGS,
    "positions": POSITIONS,
    "init": INITS,
    "activation": tuple(ACTIVATIONS),
}
_FLAGS = ("bias", "causal", "scale")
_SIZES = ("d_in", "d_out", "d_v", "d_ff")
_MAY_BE_NONE = ("d_v", "d_ff")


def checked_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return those settings whose plain form may be another than what was given.

    Raises ``ValueError`` for the first that is of a wrong type, no choice, or over a limit.
    """
    _check_text(given["text"])
    for name, allowed in CHOICES.items():
        if not isinstance(given[name], str) or given[name] not in allowed:
            message = f"{name} is {limits.in_short(given[name])}, expected one of {', '.join(allowed)}"
            raise RefusedError(message, "choice", name=name, value=given[name], allowed=allowed)
    for name in _FLAGS:
        if not isinstance(given[name], bool):
            message = f"{name} is {limits.in_short(given[name])}, expected True or False"
            raise RefusedError(message, "flag", name=name, value=given[name])
    sizes = {
        name: limits.check_whole(name, given[name], 1, limits.MAX_D)
        for name in _SIZES
        if not (given[name] is None and name in _MAY_BE_NONE)
    }
    return sizes | {
        "seed": limits.check_whole("seed", given["seed"], 0, limits.MAX_SEED),
        "temperature": limits.check_temperature(given["temperature"]),
        "device": check_device_name(given["device"]),
    }


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        raise RefusedError(f"text is {limits.in_short(text)}, expected a string", "text")
    if len(text) > limits.MAX_TEXT_CHARACTERS:  # before it is cut into tokens, which takes time
        n, most = len(text), limits.MAX_TEXT_CHARACTERS
        raise RefusedError(f"text has {n} characters, expected at most {most}", "text_long", characters=n, most=most)

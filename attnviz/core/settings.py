"""The settings of a scenario, apart from its matrices, checked and made plain."""

from collections.abc import Mapping
from typing import Any

from attnviz.core import limits
from attnviz.core.devices import check_device_name
from attnviz.core.errors import RefusedError
from attnviz.core.masks import ADDED, FACTOR, MASK_USES, MASKINGS, mask_named
from attnviz.core.reading import check_reading, n_read
from attnviz.core.seeding import BIASED_POSITIONS, INITS, POSITIONS, SEEDED_EMBEDDINGS
from attnviz.core.stages import ACTIVATIONS, ITSELF, READINGS
from attnviz.core.tokens import TOKENIZERS
from attnviz.core.what_if import WhatIf, fitting_what_if, misfit

SOFTMAX, LINEAR = WEIGHTINGS = ("softmax", "linear")
NORM_CHOICES = ("none", "sums", "pre", "post")
EMBEDDINGS = ("published", *SEEDED_EMBEDDINGS)
CHOICES: Mapping[str, tuple[str, ...]] = {
    "tokenizer": tuple(TOKENIZERS),
    "embedding": EMBEDDINGS,
    "positions": POSITIONS,
    "masking": MASKINGS,
    "mask_use": MASK_USES,
    "init": INITS,
    "activation": tuple(ACTIVATIONS),
    "norm": NORM_CHOICES,
    "weighting": WEIGHTINGS,
    "reads": READINGS,
}
_FLAGS = ("bias", "causal", "scale", "output", "embedding_factor", "same_layers")
_SIZES = ("d_in", "d_out", "d_v", "d_ff")
_MAY_BE_NONE = ("d_v", "d_ff")
_FILLS = ("identity", "zeros", "random", "example")  # what may stand for the numbers of any matrix


def checked_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return those settings whose plain form may be another than what was given.

    Raises ``ValueError`` for the first that is of a wrong type, no choice, or over a limit.
    """
    _check_text("text", given["text"], limits.MAX_TEXT_CHARACTERS)
    _check_text("second", given["second"], limits.MAX_SECOND_CHARACTERS)
    for name, allowed in CHOICES.items():
        if not isinstance(given[name], str) or given[name] not in allowed:
            message = f"{name} is {limits.in_short(given[name])}, expected one of {', '.join(allowed)}"
            raise RefusedError(message, "choice", name=name, value=given[name], allowed=allowed)
    for name in _FLAGS:
        if not isinstance(given[name], bool):
            message = f"{name} is {limits.in_short(given[name])}, expected True or False"
            raise RefusedError(message, "flag", name=name, value=given[name])
    n_layers = limits.check_whole("n_layers", given["n_layers"], 1, limits.MAX_LAYERS)
    sizes = {
        name: limits.check_whole(name, given[name], 1, limits.MAX_D)
        for name in _SIZES
        if not (given[name] is None and name in _MAY_BE_NONE)
    } | checked_heads(given)
    check_one_mask(given)
    check_factor(given)
    check_linear(given)
    return sizes | {
        "n_layers": n_layers,
        "mask_size": limits.check_whole("mask_size", given["mask_size"], 1, limits.MAX_TOKENS),
        "seed": limits.check_whole("seed", given["seed"], 0, limits.MAX_SEED),
        "temperature": limits.check_temperature(given["temperature"]),
        "device": check_device_name(given["device"]),
        "what_if": WhatIf.read(given["what_if"]).text,
    }


def mask_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a mask says which is given by its name, such as "window:3"; of one that is given by its
    numbers, or by none, nothing.

    Raises ``ValueError`` for another name, and for another than the causal one where `causal` is True.

    >>> mask_settings({"mask": "window:3", "causal": False})
    {'mask': None, 'masking': 'window', 'mask_size': 3}
    """
    mask = given["mask"]
    if not isinstance(mask, str) or mask.partition(":")[0] in _FILLS:
        return {}
    kind, size = mask_named(mask)
    if given["causal"] is True and kind != "causal":
        message = f"causal is True and mask is {mask!r}, expected one of them, or mask 'causal'"
        raise RefusedError(message, "two_masks", masking=kind)
    named = {"mask": None, "masking": "none" if kind == "causal" else kind}
    return named | ({"causal": True} if kind == "causal" else {}) | ({} if size is None else {"mask_size": size})


def check_one_mask(given: Mapping[str, Any]) -> None:
    """Raise ``ValueError`` where the causal mask is on and another one, too."""
    if given["causal"] and given["masking"] != "none":
        message = f"causal is True and masking is {given['masking']!r}, expected one of them"
        raise RefusedError(message, "two_masks", masking=given["masking"])


def check_factor(given: Mapping[str, Any]) -> None:
    """Raise ``ValueError`` where a mask is a factor and a bias would be multiplied by it, too."""
    if given["positions"] in BIASED_POSITIONS and given["mask_use"] == FACTOR:
        message = f"mask_use is {FACTOR!r} and positions is {given['positions']!r}, expected one of them"
        raise RefusedError(message, "factor", positions=given["positions"])


def check_linear(given: Mapping[str, Any]) -> None:
    """Raise ``ValueError`` for what only attention with a softmax can have: a number added to scores, another use of
    the mask, a switch of what if."""
    if given.get("weighting") != LINEAR:
        return
    if given["positions"] in BIASED_POSITIONS:
        message = f"weighting is {LINEAR!r} and positions is {given['positions']!r}, expected one of them"
        raise RefusedError(message, "linear_bias", positions=given["positions"])
    if given["mask_use"] != ADDED:
        message = f"weighting is {LINEAR!r} and mask_use is {given['mask_use']!r}, expected {ADDED!r}"
        raise RefusedError(message, "linear_mask", use=given["mask_use"])
    if given.get("what_if"):
        message = f"weighting is {LINEAR!r} and what_if is {limits.in_short(given['what_if'])}, expected none"
        raise RefusedError(message, "linear_what_if", what_if=given["what_if"])


def checked_heads(given: Mapping[str, Any]) -> dict[str, int]:
    """Return how many heads there are, and how many of keys and values where that is said.

    Raises ``ValueError`` for numbers of heads that do not divide what they have to share out.
    """
    n_heads = limits.check_whole("n_heads", given["n_heads"], 1, limits.MAX_HEADS)
    checked = {"n_heads": n_heads}
    for name in ("d_out", "d_v"):
        width = given[name]
        if isinstance(width, int) and width % n_heads:
            fitting = _divisors(width)
            message = f"{name} is {width}, expected a multiple of n_heads {n_heads}; n_heads may be {fitting}"
            raise RefusedError(message, "heads", heads=n_heads, size=name, width=width, fitting=fitting)
    if given["positions"] == "rotary" and isinstance(given["d_out"], int) and given["d_out"] // n_heads % 2:
        width = given["d_out"] // n_heads
        message = f"d_out is {given['d_out']}, {width} for each head, expected an even number for rotary positions"
        raise RefusedError(message, "rotary", heads=n_heads, width=width, d_out=given["d_out"])
    width = given["d_out"] if given["d_v"] is None else given["d_v"]
    check_width(given, width)
    if given["n_kv_heads"] is not None:
        n_kv_heads = limits.check_whole("n_kv_heads", given["n_kv_heads"], 1, limits.MAX_HEADS)
        if n_heads % n_kv_heads:
            message = (
                f"n_kv_heads is {n_kv_heads}, expected one of {_divisors(n_heads)}, which divide n_heads {n_heads}"
            )
            raise RefusedError(message, "kv_heads", kv_heads=n_kv_heads, heads=n_heads, fitting=_divisors(n_heads))
        checked["n_kv_heads"] = n_kv_heads
    return checked


def check_width(given: Mapping[str, Any], width: object) -> None:
    """Raise ``ValueError`` for a context of a width that can't be added to x, or be the next layer's x.

    The width may be one that isn't known, None.
    """
    d_in = given["d_in"]
    if not isinstance(width, int) or width == d_in:
        return
    if given["norm"] != "none":
        message = f"the context has {width} columns, expected {d_in} like x, to which a block adds it"
        raise RefusedError(message, "block", width=width, d_in=d_in)
    if given["n_layers"] != 1:
        message = f"the context has {width} columns, expected {d_in} like x, which it is for the next layer"
        raise RefusedError(message, "layers", width=width, d_in=d_in)


def check_what_if(given: Mapping[str, Any], n_tokens: int) -> None:
    """Raise ``ValueError`` for a switch that can't be on with the other settings."""
    if error := misfit(given, n_tokens, n_read(given, n_tokens)):
        raise error


def fitted(values: Mapping[str, Any], n_tokens: int) -> tuple[dict[str, Any], list[RefusedError]]:
    """Return settings, each of which is one that it may be, with as many heads and layers as fit the others and one
    mask, and why not all that they say: for a page, where what was typed stays while the computation goes on.

    >>> given = {"n_heads": 3, "d_in": 4, "d_out": 4, "d_v": None, "n_kv_heads": 3, "positions": "none", "norm": "none",
    ...          "n_layers": 1, "causal": False, "masking": "none", "mask_use": "added"}
    >>> values, refused = fitted(given, 6)
    >>> values["n_heads"], values["n_kv_heads"], [error.kind for error in refused]
    (2, 2, ['heads', 'kv_heads'])
    """
    fitting = dict(values)
    refused: list[RefusedError] = []
    try:
        check_one_mask(fitting)
    except RefusedError as error:
        refused.append(error)
        fitting["masking"] = "none"
    try:
        check_factor(fitting)
    except RefusedError as error:
        refused.append(error)
        fitting["mask_use"] = ADDED
    try:
        check_linear(fitting)
    except RefusedError as error:
        refused.append(error)
        fitting["weighting"] = SOFTMAX
    for check in (checked_heads, lambda given: check_scores(given["n_heads"], n_tokens, given["n_layers"])):
        while True:
            try:
                check(fitting)
            except RefusedError as error:
                refused += [error] if error.kind not in {each.kind for each in refused} else []
                if error.kind in ("rotary", "block"):
                    fitting["positions" if error.kind == "rotary" else "norm"] = "none"
                elif error.kind == "layers":
                    fitting["n_layers"] = 1
                elif error.kind == "scores_of_layers":
                    fitting["n_layers"] -= 1
                else:
                    fitting["n_kv_heads" if error.kind == "kv_heads" else "n_heads"] -= 1
            else:
                break
    try:
        check_reading(fitting, n_tokens)
    except RefusedError as error:
        refused.append(error)
        fitting["reads"] = ITSELF
    fitting["what_if"], misfits = fitting_what_if(fitting, n_tokens, n_read(fitting, n_tokens))
    return fitting, refused + misfits


def _divisors(number: int) -> str:
    return ", ".join(str(n) for n in range(1, min(number, limits.MAX_HEADS) + 1) if number % n == 0)


def check_scores(n_heads: int, n_tokens: int, n_layers: int) -> None:
    """Raise ``ValueError`` for more scores than fit, of all heads and layers together."""
    heads = n_heads * n_layers
    if (n := heads * n_tokens**2) > limits.MAX_SCORES:
        message = f"{heads} heads of {n_tokens} tokens have {n} scores, expected at most {limits.MAX_SCORES}"
        most = int((limits.MAX_SCORES / heads) ** 0.5)
        if n_layers > 1:
            raise RefusedError(message, "scores_of_layers", layers=n_layers, heads=n_heads, tokens=n_tokens, most=most)
        raise RefusedError(message, "scores_of_heads", heads=heads, tokens=n_tokens, most=most)


def _check_text(name: str, text: object, most: int) -> None:
    if not isinstance(text, str):
        raise RefusedError(f"{name} is {limits.in_short(text)}, expected a string", "text")
    if len(text) > most:  # before it is cut into tokens, which takes time
        n = len(text)
        message = f"{name} has {n} characters, expected at most {most}"
        if name == "second":
            raise RefusedError(message, "second_long", characters=n, most=most)
        raise RefusedError(message, "text_long", characters=n, most=most)

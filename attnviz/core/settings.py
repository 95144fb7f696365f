"""Checking a scenario's settings, except matrices, and giving them one form."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from attnviz.core import limits
from attnviz.core.constraints import CONSTRAINTS, RequestedSettings
from attnviz.core.limits import RefusedError
from attnviz.core.machine import check_device_name
from attnviz.core.masks import CAUSAL, MASKINGS, NONE, USES, mask_named
from attnviz.core.seeding import EMBEDDINGS, INITS, POSITIONS
from attnviz.core.seeding.word_classes import chosen_classes, classes_text
from attnviz.core.stages import ACTIVATIONS, BLOCKS, READINGS, WEIGHTINGS, Scoring
from attnviz.core.tokens import TOKENIZERS
from attnviz.core.what_if import WhatIf

CHOICES: Mapping[str, tuple[str, ...]] = {
    "tokenizer": tuple(TOKENIZERS),
    "embedding": tuple(EMBEDDINGS),
    "positions": tuple(POSITIONS),
    "masking": MASKINGS,
    "mask_use": tuple(USES),
    "init": INITS,
    "activation": tuple(ACTIVATIONS),
    "norm": tuple(BLOCKS),
    "weighting": tuple(WEIGHTINGS),
    "reads": READINGS,
}
_OF_SCORES = fields(Scoring)
FLAGS = ("bias", "causal", "output", "embedding_factor", "same_layers",
         *(each.name for each in _OF_SCORES if each.type is bool))  # fmt: skip
NUMBERS: Mapping[str, tuple[float, float]] = {
    each.name: each.metadata["between"] for each in _OF_SCORES if "between" in each.metadata
}
# The limits of each whole number. Those in MAY_BE_NONE may be None: then another setting decides, or the part is off.
WHOLE: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("d_in", "d_out", "d_v", "d_ff"), (1, limits.MAX_D)),
    **dict.fromkeys(("n_heads", "n_kv_heads"), (1, limits.MAX_HEADS)),
    "n_layers": (1, limits.MAX_LAYERS),
    "mask_size": (1, limits.MAX_TOKENS),
    "seed": (0, limits.MAX_SEED),
}
MAY_BE_NONE = ("d_v", "d_ff", "n_kv_heads", *(each.name for each in _OF_SCORES if each.default is None))
TEXTS = {"text": limits.MAX_TEXT_CHARACTERS, "second": limits.MAX_SECOND_CHARACTERS}
_FILLS = ("identity", "zeros", "random", "example")  # words that may replace the numbers of any matrix


def checked_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings whose plain form may differ from what was given.

    Raises ``ValueError`` for the first that has a wrong type, isn't one of the choices, or is beyond a limit.
    """
    for name, most in TEXTS.items():
        _check_text(name, given[name], most)
    for name, allowed in CHOICES.items():
        if not isinstance(given[name], str) or given[name] not in allowed:
            raise RefusedError("choice", name=name, value=given[name], allowed=allowed)
    for name in FLAGS:
        if not isinstance(given[name], bool):
            raise RefusedError("flag", name=name, value=given[name])
    there = {name: value for name, value in given.items() if not (value is None and name in MAY_BE_NONE)}
    return {
        **{name: limits.check_whole(name, there[name], *between) for name, between in WHOLE.items() if name in there},
        **{
            name: limits.check_number(name, there[name], *between) for name, between in NUMBERS.items() if name in there
        },
        "device": check_device_name(given["device"]),
        "what_if": WhatIf.read(given["what_if"]).text,
        "word_classes": classes_text(chosen_classes(given["word_classes"])),
    }


def _check_text(name: str, text: object, most: int) -> None:
    if not isinstance(text, str):
        raise RefusedError("text", name=name, value=text)
    if len(text) > most:  # checked before cutting it into tokens, which takes time
        raise RefusedError(f"{name}_long", characters=len(text), most=most)


def mask_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a mask's name stands for, such as "window:3".

    A mask given by its numbers has none, and neither has None.

    Raises ``ValueError`` for an unknown name, and for any but the causal mask where `causal` is True.

    >>> mask_settings({"mask": "window:3", "causal": False})
    {'mask': None, 'masking': 'window', 'mask_size': 3}
    """
    mask = given["mask"]
    if not isinstance(mask, str) or mask.partition(":")[0] in _FILLS:
        return {}
    kind, size = mask_named(mask)
    if given["causal"] is True and kind != CAUSAL:
        raise RefusedError("two_masks", masking=kind)
    named = {"mask": None, "masking": kind if kind in MASKINGS else NONE}
    return named | ({"causal": True} if kind == CAUSAL else {}) | ({} if size is None else {"mask_size": size})


def check_fit(given: Mapping[str, Any], n_tokens: int) -> None:
    """Raise ``ValueError`` for the first constraint between settings that is broken."""
    setup = RequestedSettings(given, n_tokens)
    for constraint in CONSTRAINTS.values():
        if (facts := constraint.broken(setup)) is not None:
            raise RefusedError(constraint.name, **facts)


def fitted(values: Mapping[str, Any], n_tokens: int) -> tuple[dict[str, Any], list[RefusedError]]:
    """Return valid settings mended to meet all constraints, and what was refused.

    A page computes with the mended settings, while its controls keep what the reader typed.

    >>> given = {"n_heads": 3, "d_in": 4, "d_out": 4, "d_v": None, "n_kv_heads": 3, "positions": "none", "norm": "none",
    ...          "n_layers": 1, "causal": False, "masking": "none", "mask_use": "added"}
    >>> values, refused = fitted(given, 6)
    >>> values["n_heads"], values["n_kv_heads"], [error.kind for error in refused]
    (2, 2, ['heads', 'kv_heads'])
    """
    fitting, refused = dict(values), dict[object, RefusedError]()
    try:
        WhatIf.read(fitting.get("what_if", ""))
    except RefusedError as error:  # from a link: the page's controls never write such a text
        refused["what_if"], fitting["what_if"] = error, ""
    try:
        chosen_classes(fitting.get("word_classes", ""))
    except RefusedError as error:
        refused["word_classes"], fitting["word_classes"] = error, ""
    while broken := _first_broken(RequestedSettings(fitting, n_tokens)):
        constraint, facts = broken
        refused.setdefault((constraint.name, facts.get("part")), RefusedError(constraint.name, **facts))
        fitting |= constraint.mend(fitting, facts)
    return fitting, list(refused.values())


def _first_broken(setup: RequestedSettings) -> Any:
    checked = ((each, each.broken(setup)) for each in CONSTRAINTS.values())
    return next(((each, facts) for each, facts in checked if facts is not None), None)

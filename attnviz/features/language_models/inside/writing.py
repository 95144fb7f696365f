"""Writing: a model adds tokens to a text, with a trace each.

With the cache, a step computes only the rows of its new tokens. All rows of earlier tokens, such as their keys and
values, are those that were computed when these tokens were new.
"""

import copy
import inspect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from attnviz.core.arguments import typed
from attnviz.core.limits import MAX_SEED, RefusedError, check_temperature, check_whole
from attnviz.features.language_models.inside.eager import check_eager
from attnviz.features.language_models.inside.editing import all_changed, editing_of
from attnviz.features.language_models.inside.edits import ModelEdit
from attnviz.features.language_models.inside.pieces import check_length, marks_of_cut, pieces, text_of, with_tokens
from attnviz.features.language_models.inside.pretrained import called, check_finite, layers_of, look
from attnviz.features.language_models.inside.seen.attended import AttentionRecord, Projection, Subtracted
from attnviz.features.language_models.inside.trace import ModelTrace
from attnviz.features.language_models.inside.uses import has_next

MOST_WRITTEN = 1024


@dataclass(frozen=True)
class Chances:
    """The `logits` of the next token, and the `probabilities` it's drawn by.

    Both are for the whole vocabulary. Probabilities are softmax(logits / temperature), and 0 for tokens that top-k
    or top-p leave out. At temperature 0, the likeliest token has probability 1.
    """

    logits: Tensor
    probabilities: Tensor


@dataclass(frozen=True, repr=False)
class Written:
    """A written token, its chances, and the text before it as `view`."""

    id: int
    token: str
    chances: Chances
    view: ModelTrace

    @property
    def text(self) -> str:
        """The text with this token."""
        return with_tokens(self.view.tokenizer, self.view.text, self.view.cut, [self.id])[0]

    @property
    def rows(self) -> int:
        """How many rows the token's step computed; earlier steps made the others."""
        return len(self.view.tokens) - self.view.computed_from

    def __repr__(self) -> str:
        """Return a short description, because all numbers would fill pages."""
        return f"Written({self.id}, {self.token!r}, probability={float(self.chances.probabilities[self.id]):.4f})"


@dataclass(frozen=True)
class Sampling:
    """How a token is drawn: by temperature, top-k and top-p.

    Temperature 0 takes the likeliest token, the first of equals: greedy decoding, the limit of small temperatures.
    `top_k` keeps this many most probable tokens, `top_p` the fewest that together have this probability; None keeps
    all.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.temperature, bool) or not isinstance(self.temperature, int | float) or self.temperature:
            check_temperature(self.temperature)
        if self.top_k is not None:
            check_whole("top_k", self.top_k, 1, 2**31)
        a_number = isinstance(self.top_p, int | float) and not isinstance(self.top_p, bool)
        if self.top_p is not None and not (a_number and 0 < self.top_p <= 1):
            raise RefusedError("share", name="top_p", value=self.top_p)

    def chances(self, view: ModelTrace) -> Chances:
        """Return the chances of the token after a text.

                Raises ``ValueError`` for a model that doesn't score next tokens.

        Source: Holtzman et al. 2020, The Curious Case of Neural Text Degeneration, sections 3.1 and 3.2.
        """
        if not has_next(view):
            raise RefusedError("model_no_writing")
        logits = view.result.logits[0, -1].detach().float().cpu()
        if self.temperature == 0:
            return Chances(logits, torch.zeros_like(logits).index_fill(0, logits.argmax(), 1.0))
        scores = logits / self.temperature
        if self.top_k is not None:
            scores = scores.masked_fill(scores < scores.topk(min(self.top_k, len(scores))).values[-1], -torch.inf)
        if self.top_p is not None and self.top_p < 1:
            ordered, order = scores.sort()
            out = ordered.softmax(-1).cumsum(-1) <= 1 - self.top_p
            out[-1] = False
            scores = scores.index_fill(0, order[out], -torch.inf)
        return Chances(logits, scores.softmax(-1))


def drawn(chances: Chances, seed: int, before: int = 0) -> int:
    """Return the token that a seed draws after `before` others.

    >>> drawn(Chances(torch.zeros(3), torch.tensor([0.0, 1.0, 0.0])), seed=5, before=2)
    1
    """
    generator = torch.Generator().manual_seed(seed)
    alike = torch.ones_like(chances.probabilities)[None]
    for _ in range(before):  # each draw uses equally many random numbers, whatever the probabilities are
        torch.multinomial(alike, 1, generator=generator)
    return int(torch.multinomial(chances.probabilities[None], 1, generator=generator))


def can_write(view: ModelTrace) -> bool:
    """Whether a model can write: it scores next tokens, without an encoder."""
    return has_next(view) and view.model is not None and not view.model.config.is_encoder_decoder


def check_writes(view: ModelTrace) -> None:
    """Raise ``ValueError`` for a model that can't write."""
    if not can_write(view):
        message = f"{view.name} can't write on, expected a decoder with its output layer, and no encoder beside it"
        raise RefusedError("model_no_writing", detail=message)


@typed
def write(
    view: ModelTrace, n: int = 1, *, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None,
    seed: int = 0, cache: bool = True,
) -> tuple[Written, ...]:  # fmt: skip
    """Return up to `n` tokens, drawn after a text until it ends.

    They are the tokens that ``generate`` of transformers draws with the same settings after ``torch.manual_seed(seed)``
    or, with temperature 0, takes without sampling. Torch's own generator isn't touched. Without the `cache`, each step
    computes all rows again; the numbers are the same, apart from roundings.

    Raises ``ValueError`` for a model that can't write, and for more tokens than it can read.
    """
    check_whole("n", n, 1, MOST_WRITTEN)
    check_whole("seed", seed, 0, MAX_SEED)
    check_writes(view)
    sampling, steps = Sampling(temperature, top_k, top_p), list[Written]()
    for at in range(n):
        view = appended(view, [steps[-1].id], cache=cache) if steps else view
        chances = sampling.chances(view)
        taken = drawn(chances, seed, at)
        steps.append(Written(taken, text_of(view.tokenizer, taken), chances, view))
        if taken in ends_of(view.model):
            break
    return tuple(steps)


def ends_of(model: Any) -> tuple[int, ...]:
    """Return the tokens that end a text."""
    own = getattr(model.config, "eos_token_id", None)
    return () if own is None else (own,) if isinstance(own, int) else tuple(own)


def appended(
    view: ModelTrace, ids: Sequence[int], *, cache: bool = True, edits: tuple[ModelEdit, ...] = ()
) -> ModelTrace:
    """Return a text's trace with more tokens; cached rows aren't computed again.

    With `edits`, which may change any row, all rows are computed anew; if there are no more tokens, `view` becomes the
    trace's original.
    """
    check_writes(view)
    text, cut = with_tokens(view.tokenizer, view.text, view.cut, ids)
    past = getattr(view.result, "past_key_values", None) if cache and not edits else None
    written = (*view.written, *ids)
    if past is None:
        plain = view if edits and not ids else None
        made = look(view.model, view.tokenizer, text, None, view.name, edits or view.edits, plain, cut)
        return replace(made, written=written)
    check_length(view.model, view.tokenizer, len(cut["input_ids"]))
    original = None if view.original is None else appended(view.original, ids)
    plain = view if view.original is None else view.original
    # Changes of the text's own numbers are in the cache already; changes of the model have to be made again.
    editing = editing_of([edit for edit in view.edits if edit.of_model], plain.layers) if view.edits else None
    inputs: dict[str, Any] = {"input_ids": torch.tensor([list(ids)], device=view.model.device), "use_cache": True}
    if "attention_mask" in inspect.signature(view.model.forward).parameters:
        inputs["attention_mask"] = torch.ones(1, len(cut["input_ids"]), dtype=torch.long, device=view.model.device)
    attended, result = called(view.model, inputs | {"past_key_values": copy.deepcopy(past)}, editing)
    if not view.edits:
        check_eager(view.model, inputs | {"past_key_values": past}, result)
    tokens = pieces(view.tokenizer, cut["input_ids"])
    stacked = [_below(before.attended, after) for before, after in zip(view.attending, attended, strict=True)]
    layers = layers_of(view.model, stacked, tokens, ())
    if original is not None:
        layers = all_changed(view.edits, layers, original.layers)
    logits = torch.cat([view.result.logits, result.logits], 1)
    whole = type(result)(logits=logits, past_key_values=result.past_key_values)
    check_finite(layers, whole)
    spans, special = marks_of_cut(cut)
    return replace(view, text=text, tokens=tokens, layers=layers, spans=spans, special=special, result=whole,
                   original=original, cut=cut, written=written, computed_from=len(view.tokens))  # fmt: skip


def _below(before: AttentionRecord, after: AttentionRecord) -> AttentionRecord:
    """Return an attention with the new tokens' rows below the old ones."""
    n_new, n_keys = after.query.shape[-2], before.key.shape[-2] + after.query.shape[-2]

    def rows(old: Tensor | None, new: Tensor | None) -> Any:
        return None if old is None or new is None else torch.cat([old, new], -2)

    def keys(old: Tensor, new: Tensor) -> Tensor:  # with a window, the cache has only the last ones
        return new if new.shape[-2] == n_keys else torch.cat([old, new[..., -n_new:, :]], -2)

    def square(old: Tensor | None, new: Tensor | None, fill: float) -> Tensor | None:
        if old is None and new is None:
            return None
        zeros = (each.query.new_zeros(1, each.query.shape[-2], each.key.shape[-2]) for each in (before, after))
        old, new = (zero if one is None else one for one, zero in zip((old, new), zeros, strict=True))
        heads = max(len(old), len(new))
        old = F.pad(old, (0, n_new), value=fill).expand(heads, -1, -1)
        return torch.cat([old, F.pad(new, (n_keys - new.shape[-1], 0), value=fill).expand(heads, -1, -1)], 1)

    return replace(
        after,
        query=rows(before.query, after.query),
        key=keys(before.key, after.key),
        value=keys(before.value, after.value),
        added=square(before.added, after.added, -torch.inf),
        bias=square(before.bias, after.bias, 0.0),
        weights=square(before.weights, after.weights, 0.0),
        context=rows(before.context, after.context),
        projections=tuple(map(_joined, before.projections, after.projections)),
        subtracted=_subtracted_below(before.subtracted, after.subtracted, rows, keys, square),
        output=None if before.output is None or after.output is None else _joined(before.output, after.output),
    )


def _subtracted_below(
    before: Subtracted | None, after: Subtracted | None, rows: Any, keys: Any, square: Any
) -> Subtracted | None:
    if before is None or after is None:
        return None
    return replace(
        after, query=rows(before.query, after.query), key=keys(before.key, after.key),
        first=square(before.first, after.first, 0.0), second=square(before.second, after.second, 0.0),
    )  # fmt: skip


def _joined(before: Projection, after: Projection) -> Projection:
    return replace(after, x=torch.cat([before.x, after.x]), product=torch.cat([before.product, after.product]))

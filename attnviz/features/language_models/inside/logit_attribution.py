"""Reasons for a word: what a model's parts add to its score."""

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.core.limits import RefusedError, check_whole, in_short
from attnviz.features.language_models.inside.editing import editing_of
from attnviz.features.language_models.inside.heads.tables import alike
from attnviz.features.language_models.inside.layers.layer import Layer
from attnviz.features.language_models.inside.pretrained import called, goes_through_ours, scores_of
from attnviz.features.language_models.inside.recording import twin_of
from attnviz.features.language_models.inside.trace import ModelTrace
from attnviz.features.language_models.inside.writing import check_writes

MOST_MULTIPLIED = 2**36  # multiplications for a map: seconds on two cores
_SAME = 1e-4  # a block's addition may differ by this much from the sum of its parts, relative to the largest number


@dataclass(frozen=True)
class Part:
    """One part of a model, and its share of a token's score.

    `kind` is "embedding", "head", "bias" (of an attention's output), "feed_forward" or "norm" (its own bias, and the
    output's); layers and heads count from 0.
    """

    kind: str
    value: float
    layer: int | None = None
    head: int | None = None


@dataclass(frozen=True)
class Why:
    """A token's score `logit`, and the `parts` that sum to it.

    The last layer norm divides the sum of all vectors by a number that depends on all of them: this number is taken as
    computed. So are the scales of norms after a part, as in OLMo 2 and Gemma 2, and of a cap on scores. Multipliers of
    parts and scores, as in Granite and Cohere, multiply each part. `keys` has for each head ``[layer, head]`` what it
    gave for each token that it read.

    Source: Elhage et al. 2021, A Mathematical Framework for Transformer Circuits, "Logit attribution".
    """

    logit: float
    parts: tuple[Part, ...]
    keys: dict[tuple[int, int], Tensor]


def why(view: ModelTrace, token: int) -> Why:
    """Return what each part of a model adds to a token's score.

    Raises ``ValueError`` for a model whose blocks don't simply add the outputs of heads and feed-forward layers to
    one vector.
    """
    check_writes(view)
    logits = view.result.logits[0, -1]
    check_whole("token", token, 0, len(logits) - 1)
    stream = _Stream(view)
    logit = float(logits[token])
    toward, rest = stream.toward(token, logit)
    if abs(float(stream.last @ toward) + rest - logit) > _SAME * max(1.0, abs(logit)):
        raise _otherwise(view)
    parts, keys = [Part("embedding", float(stream.inputs[0] @ toward)), Part("norm", rest)], {}
    for number, (attended, fed, scale) in enumerate(zip(stream.attended, stream.fed, stream.scales, strict=True)):
        assert attended.output is not None
        weights = attended.weights
        assert weights is not None
        d_v, shared = attended.value.shape[-1], len(attended.query) // len(attended.value)
        scaled = scale * toward
        by_rows = (attended.output.weight.double() @ scaled).view(-1, d_v)
        for head, row in enumerate(by_rows):
            read = weights[head, -1].double() * (attended.value[head // shared].double() @ row)
            whole = float(attended.context[head, -1].double() @ row) if attended.context is not None else 0.0
            parts.append(Part("head", whole, number, head))
            keys[number, head] = read if whole else torch.zeros_like(read)  # zeros for a head that is switched off
        if attended.output.bias is not None:
            parts.append(Part("bias", float(attended.output.bias.double() @ scaled), number))
        parts.append(Part("feed_forward", float(fed @ toward), number))
    return Why(logit, tuple(parts), keys)


def patched(view: ModelTrace, other: ModelTrace, layer: int, token: int, *, frozen: bool = False) -> Tensor:
    """Return next-token scores ``(vocabulary,)`` with one vector from another text.

    A layer's vector of one token is replaced by the other text's at the same place. Changes of the model hold for both
    texts, changes of a text's own numbers only for that text. With `frozen` attention, tokens read each other as
    before.

    Source: Meng et al. 2022, Locating and Editing Factual Associations in GPT, section 2.1.
    """
    patching = _Patching(view, other, frozen=frozen)
    check_whole("layer", layer, 0, len(patching.blocks) - 1)
    check_whole("token", token, 0, min(len(view.tokens), len(other.tokens)) - 1)
    return patching.scores([token], layer)[0]


def moved(view: ModelTrace, other: ModelTrace) -> Tensor:
    """Return how far each replaced vector moves the next token's probabilities.

    The result is ``(layers, tokens)``: half the sum of the differences after :func:`patched`, from 0 to 1.

    Raises ``ValueError`` if that would take too long.
    """
    patching = _Patching(view, other)
    n, n_all, n_layers = min(len(view.tokens), len(other.tokens)), len(view.tokens), len(patching.blocks)
    numbers = sum(each.numel() for each in view.model.parameters())
    if (multiplied := numbers * n * n_all * (n_layers + 1)) > MOST_MULTIPLIED:
        message = f"a map would take {multiplied:,} multiplications, expected at most {MOST_MULTIPLIED:,}"
        raise RefusedError("model_map_large", detail=message)
    # The run without a replacement has the same shape, so that only the replacement changes numbers.
    at_once = list(range(n)) if patching.takes_several else [0]
    plain = patching.scores(at_once).softmax(-1)
    rows = [torch.cat([(patching.scores(tokens, layer).softmax(-1) - plain).abs().sum(-1) / 2
                       for tokens in ([at_once] if patching.takes_several else [[token] for token in range(n)])])
            for layer in range(n_layers)]  # fmt: skip
    return torch.stack(rows)


class _Patching:
    """A copy of a model, and its `blocks`' vectors of another text."""

    def __init__(self, view: ModelTrace, other: ModelTrace, *, frozen: bool = False) -> None:
        for each in (view, other):
            check_writes(each)
        if other.edits:
            raise ValueError(f"the other text's model is changed by {in_short(other.edits)}, expected no changes of it")
        self._view, self._own, self._states = view, twin_of(view.model), list[Tensor]()
        self.blocks = _blocks(view, self._own)
        plain, of_model = (view.original or view).layers, [each for each in view.edits if each.of_model]
        keep = [
            each.register_forward_hook(lambda _, __, made: self._states.append(_first(made))) for each in self.blocks
        ]
        scores_of(self._own, _ids(other, self._own), editing_of(of_model, plain) if of_model else None)
        for hook in keep:
            hook.remove()
        self._editing = editing_of(view.edits, plain) if view.edits or frozen else None
        if self._editing is not None and frozen:
            self._editing.frozen = {at: each for layer in view.attending for at, each in layer.computed_weights.items()}
        ours = goes_through_ours(self._own)
        self.takes_several = self._editing is None or (ours and len(of_model) == len(view.edits))
        self._keeps_few = "logits_to_keep" in inspect.signature(self._own.forward).parameters

    def scores(self, tokens: Sequence[int], layer: int | None = None) -> Tensor:
        """Return ``(tokens, vocabulary)`` scores, each token's vector replaced if there's a `layer`."""
        block = nullcontext() if layer is None else _replacing(self.blocks[layer], self._states[layer], tokens)
        few = (
            {"logits_to_keep": 1} if len(tokens) > 1 and self._keeps_few else {}
        )  # not for one token: another shape would change the last bits
        with block:
            return scores_of(self._own, _ids(self._view, self._own, len(tokens)), self._editing, **few)[:, -1]


@contextmanager
def _replacing(block: nn.Module, states: Tensor, tokens: Sequence[int]) -> Iterator[None]:
    """Replace one token's vector in each batch row, within the ``with``."""

    def replaced(_: nn.Module, __: Any, made: Any) -> Any:
        changed = _first(made).clone()
        for at, token in enumerate(tokens):
            changed[at, token] = states[0, token]
        return type(made)((changed, *made[1:])) if isinstance(made, (tuple, list)) else changed

    hook = block.register_forward_hook(replaced)
    try:
        yield
    finally:
        hook.remove()


def _first(made: Any) -> Any:
    return made[0] if isinstance(made, (tuple, list)) else made


def _otherwise(view: ModelTrace) -> ValueError:
    message = f"{view.name} scores a word otherwise, expected a sum of vectors, one layer norm and one product"
    return RefusedError("model_other_sum", detail=message)


def _rescaled(view: ModelTrace) -> ValueError:
    message = f"{view.name} rescales the whole sum behind each part, expected a sum that parts are only added to"
    return RefusedError("model_rescaled_sum", detail=message)


class _Stream:
    """The last token's vector on its way through a model, in float64."""

    def __init__(self, view: ModelTrace) -> None:
        own = twin_of(view.model)
        blocks, self._output = _blocks(view, own), own.get_output_embeddings()
        seen: dict[nn.Module, tuple[Tensor, Tensor]] = {}  # module -> last vector that goes in, and that comes out
        for each in own.modules():
            each.register_forward_hook(lambda module, given, made: _keep(seen, module, given, made))
        plain = view.original or view
        editing = editing_of(view.edits, plain.layers) if view.edits else None
        self.attended = called(own, {"input_ids": _ids(view, own)}, editing)[0]
        into = seen[self._output][0]
        norms = (each for each, (_, made) in seen.items() if each is not self._output and torch.equal(made, into))
        self._norm = next(norms, None)
        found = [*blocks, self._norm]
        if any(each not in seen for each in found) or any(each.output is None for each in self.attended):
            raise _otherwise(view)
        self.inputs, outputs = [seen[block][0] for block in blocks], [seen[block][1] for block in blocks]
        self.last, self._normed = outputs[-1], into
        by = float(getattr(own.config, "residual_multiplier", None) or 1.0)
        added = [each.output.product[-1].double() for each in self.attended if each.output is not None]
        self.scales = [by * _scale_behind(block, each, seen) for block, each in zip(blocks, added, strict=True)]
        self.fed = [after - before - scale * each for before, after, each, scale
                    in zip(self.inputs, outputs, added, self.scales, strict=True)]  # fmt: skip
        for block, fed, after in zip(blocks, self.fed, outputs, strict=True):
            # A module may do the addition itself, so what it adds is looked for among its parts' outputs.
            made = [(each, seen[each][1]) for each in block.modules() if each in seen]
            if any(alike(by * each, fed, _SAME) for _, each in made if each.shape == fed.shape):
                continue
            rescaled = any(_is_norm(each) and each is not block and torch.equal(vector, after) for each, vector in made)
            raise _rescaled(view) if rescaled else _otherwise(view)
        self._raw = seen[self._output][1]

    def toward(self, token: int, logit: float) -> tuple[Tensor, float]:
        """Return the direction of a token's score, and its constant part."""
        weight, norm = self._output.weight[token].detach().double(), self._norm
        bias = getattr(self._output, "bias", None)
        rest = 0.0 if bias is None else float(bias[token])
        raw = float(self._raw[token])
        by = logit / raw if raw else 1.0  # factor by which the model multiplies or caps its scores
        centred, own_bias = self.last - self.last.mean(), getattr(norm, "bias", None)
        shift = torch.zeros_like(self.last) if own_bias is None else own_bias.detach().double()
        if isinstance(norm, nn.LayerNorm) or _is_multiple(self._normed - shift, centred * _weight_of(norm, centred)):
            scale = (self._normed - shift) / centred
            toward = scale.nan_to_num() * weight
            return by * (toward - toward.mean()), by * (rest + float(shift @ weight))
        return by * (self._normed / self.last).nan_to_num() * weight, by * rest


def _is_norm(module: nn.Module) -> bool:
    return "norm" in type(module).__name__.lower()


def _weight_of(norm: Any, like: Tensor) -> Tensor:
    weight = getattr(norm, "weight", None)
    return torch.ones_like(like) if weight is None else weight.detach().double()


def _is_multiple(one: Tensor, other: Tensor) -> bool:
    """Whether a vector is a multiple of another one."""
    return one.shape == other.shape and alike(one, (one @ other) / (other @ other) * other, _SAME)


def _scale_behind(block: nn.Module, added: Tensor, seen: dict[nn.Module, tuple[Tensor, Tensor]]) -> Tensor:
    """Return the scale of a norm after an attention; ones without."""
    for each in block.modules():
        given, made = seen.get(each, (None, None))
        if given is None or made is None or not _is_norm(each) or isinstance(each, nn.LayerNorm):
            continue
        if given.shape == made.shape == added.shape and alike(given, added, _SAME):
            return (made / given).nan_to_num()
    return torch.ones_like(added)


def _ids(view: ModelTrace, model: Any, rows: int = 1) -> Tensor:
    return torch.tensor([view.cut["input_ids"]] * rows, device=model.device)


def _blocks(view: ModelTrace, own: Any) -> list[nn.Module]:
    """Return a model's blocks: a list of modules with one attention each."""
    names = {id(module): name for name, module in view.model.named_modules()}
    attending = [names.get(id(layer.attended.module)) if isinstance(layer, Layer) else None for layer in view.layers]
    for name, module in own.named_modules():
        if (
            isinstance(module, nn.ModuleList)
            and len(module) == len(attending)
            and all(each is not None and each.startswith(f"{name}.{at}.") for at, each in enumerate(attending))
        ):
            return list(module)
    # If a model writes its attention out, the module that attends isn't known.
    for module in own.modules() if not any(attending) else ():
        if isinstance(module, nn.ModuleList) and len(module) == len(attending) and all(map(_attends, module)):
            return list(module)
    raise _otherwise(view)


def _attends(block: nn.Module) -> bool:
    return any("att" in name.lower() for name, _ in block.named_children())


def _keep(seen: dict[nn.Module, tuple[Tensor, Tensor]], module: nn.Module, given: Any, made: Any) -> None:
    """Keep the last token's vector before and after a module."""
    both = [each for each in (*given[:1], _first(made)) if isinstance(each, Tensor) and each.dim() >= 2]
    if len(both) == 2:
        before, after = (each.detach().reshape(-1, each.shape[-1])[-1].double() for each in both)
        seen[module] = before, after

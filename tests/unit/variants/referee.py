"""Attention since 2021 in plain float64, by the papers' formulas, and small modules of transformers to hold it against.

Nothing here reads the package: the referee has its own split into heads, norms, angles and masks. Shapes stand at the
right: n tokens, h heads, g heads of keys and values, d numbers a head, D numbers a token.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

F64 = torch.float64
EPSILON = 1e-6


def split(x: Tensor, heads: int) -> Tensor:
    return x.reshape(len(x), heads, -1).transpose(0, 1)  # (n, h * d) -> (h, n, d)


def joined(x: Tensor) -> Tensor:
    return x.transpose(0, 1).flatten(1)  # (h, n, d) -> (n, h * d)


def rms(x: Tensor, gain: Tensor | None, epsilon: float = EPSILON) -> Tensor:
    """Zhang and Sennrich 2019, equation 4: no mean is taken off."""
    normed = x / (x.square().mean(-1, keepdim=True) + epsilon).sqrt()
    return normed if gain is None else normed * gain


def turned(x: Tensor, angles: Tensor, by: float = 1.0) -> Tensor:
    """Su et al. 2021, equation 34, for neighbours: the first 2 * len(angles) numbers are turned."""
    place = torch.arange(x.shape[-2], dtype=F64)[:, None] * angles  # (n, pairs)
    pairs, rest = x[..., : 2 * len(angles)].reshape(*x.shape[:-1], -1, 2), x[..., 2 * len(angles) :]
    a, b = pairs.unbind(-1)
    both = torch.stack([a * place.cos() - b * place.sin(), b * place.cos() + a * place.sin()], -1) * by
    return torch.cat([both.flatten(-2), rest], -1)


def plain_angles(d: int, base: float = 10_000.0) -> Tensor:
    return base ** (-torch.arange(0, d, 2, dtype=F64) / d)  # one for each pair


@dataclass(frozen=True)
class Referee:
    """One layer's attention, of x (n, D) and matrices by the names of a scenario; all float64."""

    w: dict[str, Tensor]
    h: int = 1
    g: int = 1
    hide: Tensor | None = None  # (n, n), True where a key is hidden
    scale: float | None = None  # None: 1 / √d
    angles: Tensor | None = None
    by: float = 1.0
    cap: float | None = None
    made: dict[str, Tensor] = field(default_factory=dict)

    def stages(self, x: Tensor) -> dict[str, Tensor]:
        """Return every stage by its name, heads stacked as in a trace."""
        q, k, v = (x @ self.w[f"w_{part}"] + self.w.get(f"b_{part}", torch.zeros((), dtype=F64)) for part in "qkv")
        made = {"q": q, "k": k, "v": v}
        q, k, v = split(q, self.h), split(k, self.g), split(v, self.g)
        if self.angles is not None:
            q, k = turned(q, self.angles, self.by), turned(k, self.angles, self.by)
            made |= {"q_rotated": joined(q), "k_rotated": joined(k)}
        k, v = (each.repeat_interleave(self.h // self.g, 0) for each in (k, v))
        made["scores"] = q @ k.mT
        divided = made["scores"] * (q.shape[-1] ** -0.5 if self.scale is None else self.scale)
        if self.cap is not None:  # Gemma 2 report, section 2
            made["divided_scores"] = divided
            divided = made["capped_scores"] = self.cap * (divided / self.cap).tanh()
        scores = divided if self.hide is None else divided.masked_fill(self.hide, -math.inf)
        made["scaled_scores"], weights = scores, self._shares(scores)
        made |= {"attention_weights": weights, "context": joined(weights @ v)}
        if "w_o" in self.w:
            made["output"] = made["context"] @ self.w["w_o"]
        return made

    def _shares(self, scores: Tensor) -> Tensor:
        powers = (scores - scores.amax(-1, keepdim=True)).exp()
        return powers / powers.sum(-1, keepdim=True)


def later_keys(n: int, window: int | None = None) -> Tensor:
    """Where keys come later than their query, or stand `window` tokens before it or more."""
    q, k = torch.arange(n)[:, None], torch.arange(n)[None]
    return (k > q) if window is None else (k > q) | (q - k >= window)


def far_apart(one: Tensor, other: Tensor) -> float:
    """The largest difference, over the largest number where that is above 1; hidden cells have to be the same."""
    seen = other.isfinite()
    assert torch.equal(one.isfinite(), seen)
    one, other = one[seen].to(F64), other[seen]
    return float((one - other).abs().max() / max(1.0, float(other.abs().max())))


# ---- modules of transformers

WIDTH, HEADS, VOCABULARY = 32, 4, 40
SIZES: dict[str, Any] = {
    "vocab_size": VOCABULARY, "hidden_size": WIDTH, "intermediate_size": WIDTH, "num_attention_heads": HEADS,
    "max_position_embeddings": 64, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "num_key_value_heads": 2,
    "head_dim": WIDTH // HEADS,
}  # fmt: skip
PLAIN_ROPE = {"rope_type": "default", "rope_theta": 10_000.0}


@dataclass(frozen=True)
class Seen:
    """What went into a module of attention, its matrices (float64), its output and the weights that it returned."""

    x: Tensor
    w: dict[str, Tensor]
    output: Tensor
    weights: Tensor
    module: Any


def watched(model: str, attention: str, seed: int, n: int, **config: Any) -> Iterator[Seen]:
    """Build a small model with random weights, and yield each of its modules of this class at work on n tokens."""
    import transformers

    transformers.logging.set_verbosity_error()
    made = getattr(transformers, f"{model}Config")(**SIZES | config)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        whole = getattr(transformers, f"{model}Model")._from_config(made, attn_implementation="eager").eval()
        for each in whole.parameters():  # far enough from even that a part left out shows
            drawn = torch.randn(each.shape)
            each.copy_(drawn / each[0].numel() ** 0.5 if each.dim() > 1 else each.nan_to_num() + 0.4 * drawn)
        seen: list[Seen] = []

        def note(module: Any, args: Any, kwargs: Any, out: Any) -> None:
            weights = {name: each.detach().to(F64) for name, each in module.state_dict().items()}
            x = kwargs.get("hidden_states", args[0] if args else None)
            seen.append(Seen(x[0].to(F64), weights, out[0][0].to(F64), out[1][0].to(F64), module))

        for each in whole.modules():
            if type(each).__name__ == attention:
                each.register_forward_hook(note, with_kwargs=True)
        whole(torch.randint(3, VOCABULARY, (1, n)), use_cache=False)
    yield from seen


def neighbours(matrix: Tensor, d: int, turned_numbers: int | None = None) -> Tensor:
    """Return a head's columns so that the pairs of rotary positions, which modules keep half a head apart, are beside
    each other: what is multiplied stays the same."""
    half = (turned_numbers or d) // 2
    order = [at for pair in range(half) for at in (pair, pair + half)] + list(range(2 * half, d))
    return matrix.reshape(*matrix.shape[:-1], -1, d)[..., order].flatten(-2)


def matrices_of(seen: Seen, d: int = WIDTH // HEADS, turned_numbers: int | None = None) -> dict[str, Tensor]:
    """Return a module's projections by the names of a scenario, (rows, columns), float64."""
    w = {f"w_{part}": seen.w[f"{part}_proj.weight"].T for part in "qkvo" if f"{part}_proj.weight" in seen.w}
    return w | {name: neighbours(w[name], d, turned_numbers) for name in ("w_q", "w_k")}

"""Multi-head latent attention: keys and values made from a short vector.

Products are found by the names of their weights in transformers, and every step is checked against the model's numbers:
a part that is made in another way stands as given.

Source: DeepSeek-AI 2024, DeepSeek-V2, section 2.1 (multi-head latent attention).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor

from attnviz.core.attention import AttentionTrace
from attnviz.core.rules import Concatenate, Product, RmsNorm, Rotate
from attnviz.core.rules.copying import PARTS
from attnviz.core.stages import STAGES, Stage, Texts
from attnviz.features.language_models.inside.norms import norms_by
from attnviz.features.language_models.inside.projections import Projected, found, turn_between
from attnviz.features.language_models.inside.seen.attended import AttentionRecord, Projection
from attnviz.words import later

_SAME = 2e-6  # a norm here may differ by this much from the model's, relative to the largest number
_LATENT_WEIGHTS = ("w_dq", "b_dq", "gamma_dq", "w_dkv", "b_dkv", "gamma_dkv", "w_qc", "w_qr", "w_kc", "w_kr", "w_v")
LEARNED_LATENT = tuple(name for name in _LATENT_WEIGHTS if name != "w_v")
LATENT = ("w_dq", "b_dq", "c_q", "gamma_dq", "c_q_norm", "w_qc", "qc", "w_qr", "qr", "qr_rotated", "w_dkv", "b_dkv",
          "c_kv", "gamma_dkv", "c_kv_norm", "w_kc", "kc", "w_kr", "kr", "kr_rotated")  # fmt: skip
CACHED = ("c_kv_norm", "kr_rotated")


@dataclass(frozen=True)
class _Made:
    """Successive stages, and their numbers."""

    stages: tuple[Stage, ...]
    matrices: Mapping[str, Tensor]


def with_latents(trace: AttentionTrace, attended: AttentionRecord, turns: Iterable[Rotate]) -> AttentionTrace:
    """Return a head's trace with the steps to Q, K and V.

    Parts whose steps aren't found stand as given. Nothing changes for a module without latent vectors.
    """
    products = _Products.of(attended, len(trace.matrices["k"]))
    if products is None or any(stage.rule is not None for stage in map(trace.stages.__getitem__, "qkv")):
        return trace
    turned = tuple(turns)
    parts = [each for each in (products.queries(trace["q"], turned), products.keys(trace["k"], turned),
                               products.values(trace["v"])) if each is not None]  # fmt: skip
    if not parts:
        return trace
    table: dict[str, Stage] = {"x": STAGES["x"]}
    matrices: dict[str, Tensor] = {"x": products.x}
    for part in parts:
        table |= {stage.name: stage for stage in part.stages}
        matrices |= part.matrices
    rest = {name: stage for name, stage in trace.stages.items() if name not in table}
    own = {name: trace.matrices[name] for name in trace.stages if name not in matrices}
    n_heads, d = attended.query.shape[0], attended.key.shape[-1] + attended.value.shape[-1]
    told = later("models.latent.told", cached=products.rank + products.width, all=n_heads * d)
    return AttentionTrace(MappingProxyType(table | rest), matrices | own, trace.tokens, [*trace.notes, told])


@dataclass(frozen=True)
class _Products:
    """A module's products: into latent vectors `down`, and out of them `up`.

    `q_down` is None for queries that are made from X directly. `norm` and `q_norm` are the norm modules in between.
    """

    down: Projection
    up: Projection
    norm: Any
    q_down: Projection | None
    q_up: Projection
    q_norm: Any

    @staticmethod
    def of(attended: AttentionRecord, n_tokens: int) -> "_Products | None":
        """Return a module's products; None without them, or in low precision."""
        module = attended.module
        if module is None:
            return None
        made = {each.pointer: each for each in attended.projections}
        children = dict(module.named_children())

        def product(*names: str) -> Projection | None:
            weights = (getattr(children.get(name), "weight", None) for name in names)
            known = (made.get(each.data_ptr()) for each in weights if each is not None)
            seen = next((each for each in known if each is not None), None)
            # With a cache, each step multiplies all tokens' latent vectors, so that stacked products repeat rows.
            return seen and replace(seen, x=seen.x[-n_tokens:], product=seen.product[-n_tokens:])

        down, up = product("kv_a_proj_with_mqa", "kv_a_proj"), product("kv_b_proj")
        q_down, q_up = product("q_a_proj"), product("q_b_proj", "q_proj")
        if down is None or up is None or q_up is None:
            return None
        known = [each for each in (down, up, q_down, q_up) if each is not None]
        if any(len(each.product) != n_tokens or each.product.dtype != torch.float32 for each in known):
            return None
        return _Products(down, up, children.get("kv_a_layernorm"), q_down, q_up, children.get("q_a_layernorm"))

    @property
    def x(self) -> Tensor:
        """The layer's input."""
        return self.down.x

    @property
    def rank(self) -> int:
        """The length of a latent vector."""
        return self.up.x.shape[1]

    @property
    def width(self) -> int:
        """The number of a key's columns that tell its position."""
        return self.down.product.shape[1] - self.rank

    def queries(self, q: Tensor, turns: tuple[Rotate, ...]) -> _Made | None:
        """Return how a head's queries are made, None if unknown."""
        first, source = (None, "x") if self.q_down is None else (self._latent("q"), "c_q_norm")
        if self.q_down is not None and first is None:
            return None
        n = q.shape[1] - self.width
        content = found(q[:, :n], [self.q_up])
        places = None if content is None else _turned(q[:, n:], self.q_up, content.first + n, turns)
        return _joined("q", q, first, (content, source), places and (*places, source))

    def keys(self, k: Tensor, turns: tuple[Rotate, ...]) -> _Made | None:
        """Return how a head's keys are made, None if unknown."""
        first, n = self._latent("kv"), k.shape[1] - self.width
        places = _turned(k[:, n:], self.down, self.rank, turns)
        return first and _joined("k", k, first, (found(k[:, :n], [self.up]), "c_kv_norm"), places and (*places, "x"))

    def values(self, v: Tensor) -> _Made | None:
        """Return how a head's values are made, None if unknown."""
        first, made = self._latent("kv"), found(v, [self.up])
        if first is None or made is None:
            return None
        stage = replace(STAGES["v"], rule=Product(), sources=("c_kv_norm", "w_v"))
        weight = _stage("w_v", "W_v", "up", "feature", "projections", "v", of="V")
        return _Made((*first.stages, weight, stage), {**first.matrices, "w_v": made.weight, "v": v})

    def _latent(self, of: str) -> _Made | None:
        """Return the stages that make and norm latent vectors, "q" or "kv"."""
        down, x, norm = (self.q_down, self.q_up.x, self.q_norm) if of == "q" else (self.down, self.up.x, self.norm)
        if down is None or not torch.equal(down.x, self.x):
            return None
        n, part, rows = x.shape[1], "q" if of == "q" else "k", "query" if of == "q" else "key"
        product, most = down.product[:, :n], _SAME * 8 * float(x.abs().max())
        fitting = (each for each in norms_by(norm) if len(each.gain) == n and
                   float((RmsNorm(each.epsilon).compute(product, each.gain) - x).abs().max()) <= most)  # fmt: skip
        known = next(fitting, None)
        if known is None:
            return None
        sources = ("x", f"w_d{of}") if down.bias is None else ("x", f"w_d{of}", f"b_d{of}")
        stages = [_stage(f"w_d{of}", f"W_d{of}", "down", "feature", "projections", part)]
        matrices = {f"w_d{of}": down.weight[:, :n], f"c_{of}": product, f"gamma_d{of}": known.gain, f"c_{of}_norm": x}
        if down.bias is not None:
            stages.append(_stage(f"b_d{of}", f"b_d{of}", "offset", "feature", "projections", part, is_vector=True))
            matrices[f"b_d{of}"] = down.bias[:n]
        stages += [
            _stage(f"c_{of}", f"C_{of}", "latent", rows, "vectors", part, rule=Product(), sources=sources),
            _stage(f"gamma_d{of}", f"γ_{of}", "gain", "feature", "projections", part, is_vector=True),
            _stage(f"c_{of}_norm", f"C_{of}′", "normed", rows, "vectors", part,
                   rule=RmsNorm(known.epsilon), sources=(f"c_{of}", f"gamma_d{of}")),
        ]  # fmt: skip
        return _Made(tuple(stages), matrices)


def _turned(
    part: Tensor, projection: Projection, first: int, turns: tuple[Rotate, ...]
) -> tuple[Tensor, Tensor, Rotate] | None:
    """Return weight, product and rotation of a part that tells positions.

    Models that store pairs as neighbours may move them half of the columns apart before they rotate them. The
    weight's columns are then returned in that order.
    """
    if projection.bias is not None:
        return None
    d = part.shape[1]
    columns = torch.arange(first, first + d, device=part.device)
    for order in (columns, columns.view(-1, 2).T.flatten() if d % 2 == 0 else columns):
        product = projection.product[:, order]
        turn = turn_between(product, part, turns)
        if turn is not None:
            return projection.weight[:, order], product, turn
    return None


def _joined(
    name: str, whole: Tensor, before: _Made | None, content: tuple[Projected | None, str],
    places: tuple[Tensor, Tensor, Rotate, str] | None,
) -> _Made | None:  # fmt: skip
    """Return queries or keys of two parts: content and position."""
    made, source = content
    if made is None or made.bias is not None or places is None:
        return None
    weight, product, turn, of = places
    letter, rows, n = name.upper(), "query" if name == "q" else "key", made.product.shape[1]
    stages = (
        _stage(f"w_{name}c", f"W_{name}c", "up", "feature", "projections", name, of=f"{letter}_c"),
        _stage(f"{name}c", f"{letter}_c", "content", rows, "vectors", name, rule=Product(),
               sources=(source, f"w_{name}c")),
        _stage(f"w_{name}r", f"W_{name}r", "of_place", "feature", "projections", name),
        _stage(f"{name}r", f"{letter}_r", "place", rows, "vectors", name, rule=Product(), sources=(of, f"w_{name}r")),
        _stage(f"{name}r_rotated", f"{letter}_r′", "turned", rows, "vectors", name, rule=turn, sources=(f"{name}r",)),
        replace(STAGES[name], rule=Concatenate(PARTS), sources=(f"{name}c", f"{name}r_rotated")),
    )  # fmt: skip
    matrices = {f"w_{name}c": made.weight, f"{name}c": made.product, f"w_{name}r": weight, f"{name}r": product,
                f"{name}r_rotated": whole[:, n:], name: whole}  # fmt: skip
    earlier = before or _Made((), {})
    return _Made((*earlier.stages, *stages), {**earlier.matrices, **matrices})


def _stage(name: str, symbol: str, told: str, rows: Any, colours: Any, part: Any, of: str = "", **more: Any) -> Stage:
    return Stage(name, symbol, Texts.of(f"models.latent.{told}", symbol=symbol, of=of), rows, "feature", colours,
                 part=part, **more)  # fmt: skip

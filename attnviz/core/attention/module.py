"""Self-attention as a module of PyTorch."""

from torch import Tensor, nn

from attnviz.core.attention.plain import attend
from attnviz.core.attention.trace import AttentionTrace
from attnviz.core.limits import MAX_D, MAX_SEED, check_temperature, check_whole
from attnviz.core.seeding import seeded_projections


class SelfAttention(nn.Module):
    """Self-attention as a module, with the same numbers as the scenario of the same seed.

    Parameters are `w_q`, `w_k` ``(d_in, d_out)``, `w_v` ``(d_in, d_v)`` (`d_v` None is `d_out`) and, with `bias`,
    `b_q`, `b_k`, `b_v` of these widths, drawn by :func:`attnviz.core.seeding.seeded_projections`.

    Raises ``ValueError`` for an unknown init and over the limits of a scenario.

    >>> import torch
    >>> SelfAttention(d_in=3, d_out=2, seed=123)(torch.ones(4, 6, 3)).shape
    torch.Size([4, 6, 2])
    """

    w_q: Tensor
    w_k: Tensor
    w_v: Tensor
    b_q: Tensor | None
    b_k: Tensor | None
    b_v: Tensor | None

    def __init__(
        self,
        d_in: int,
        d_out: int,
        init: str = "uniform",
        seed: int = 123,
        bias: bool = False,
        causal: bool = False,
        scale: bool = True,
        temperature: float = 1.0,
        d_v: int | None = None,
    ) -> None:
        super().__init__()
        check_whole("d_in", d_in, 1, MAX_D)
        check_whole("d_out", d_out, 1, MAX_D)
        check_whole("d_v", d_out if d_v is None else d_v, 1, MAX_D)
        check_whole("seed", seed, 0, MAX_SEED)
        check_temperature(temperature)
        self.causal = causal
        self.scale = scale
        self.temperature = temperature
        for name, drawn in seeded_projections(d_in, d_out, init, seed, bias, d_v)._asdict().items():
            self.register_parameter(name, None if drawn is None else nn.Parameter(drawn))

    def trace(self, x: Tensor) -> AttentionTrace:
        """Return every intermediate for `x` ``(..., n_tokens, d_in)``."""
        return attend(
            x, self.w_q, self.w_k, self.w_v, self.b_q, self.b_k, self.b_v,
            causal=self.causal, scale=self.scale, temperature=self.temperature,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """Its sizes and settings, as PyTorch shows those of its own modules."""
        sizes = f"d_in={self.w_q.shape[0]}, d_out={self.w_q.shape[1]}, d_v={self.w_v.shape[1]}"
        chosen = f"bias={self.b_q is not None}, causal={self.causal}, scale={self.scale}"
        return f"{sizes}, {chosen}, temperature={self.temperature:g}"

    def forward(self, x: Tensor) -> Tensor:
        """Return the context vectors ``(..., n_tokens, d_v)`` for `x` ``(..., n_tokens, d_in)``."""
        return self.trace(x).context

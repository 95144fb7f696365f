"""Matrix products that round like another processor's, for tests that must pass on every one.

A processor adds float32 products in its own order, and rounds each product before adding it or not (fused
multiply-add). So last digits differ, and near the largest number, a sum that is finite on one overflows on another.
`ATTNVIZ_KERNELS=fused` and `=backwards` (`make unit CPU=fused`) replace torch's own products by one of two extremes.
"""

import os
import warnings
from collections.abc import Callable

import pytest
import torch

Product = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
_SHORT = 64  # most terms of a sum that are added one by one, which takes long; torch adds longer sums, reversed

in_two_processes = pytest.mark.skipif(
    "ATTNVIZ_KERNELS" in os.environ, reason="another process computes with torch's own products"
)


def fused(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Multiply matrices (..., m, k) and (..., k, n); no product is rounded before it's added.

    >>> a, b = torch.tensor([[1.5, -1.0]]), torch.full((2, 1), 3e38)
    >>> fused(a, b).isfinite().item(), backwards(a, b).isfinite().item()
    (False, False)
    >>> fused(a.flip(1), b).isfinite().item(), backwards(a.flip(1), b).isfinite().item()
    (True, False)
    """
    total = a.new_zeros((*a.shape[:-1], b.shape[-1]))
    for term in range(a.shape[-1]):
        product = a[..., term, None].double() * b[..., term, None, :].double()
        total = (total.double() + product).to(a.dtype)
    return total


def backwards(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Multiply matrices (..., m, k) and (..., k, n), adding from the last term to the first, each product rounded."""
    total = a.new_zeros((*a.shape[:-1], b.shape[-1]))
    for term in reversed(range(a.shape[-1])):
        total = total + a[..., term, None] * b[..., term, None, :]
    return total


_PRODUCTS: dict[str, Product] = {"fused": fused, "backwards": backwards}
_libraries: list[torch.library.Library] = []  # a kernel stays replaced as long as its library lives


def replace_kernels(name: str = os.environ.get("ATTNVIZ_KERNELS", "")) -> None:
    """Replace this process's matrix products on the CPU by ours of this name; blank keeps torch's."""
    if not name:
        return
    if name not in _PRODUCTS:
        raise ValueError(f"ATTNVIZ_KERNELS is {name!r}, expected {' or '.join(_PRODUCTS)}")
    ours = _PRODUCTS[name]

    def of(torchs: Callable[..., torch.Tensor]) -> Product:
        def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            fits = a.shape[:-2] == b.shape[:-2] and a.shape[-1] == b.shape[-2]  # otherwise torch raises its own error
            if fits and a.dtype == torch.float32 and 0 < a.shape[-1] <= _SHORT:
                return ours(a, b)
            a, b = a.flip(-1).contiguous(), b.flip(-2).contiguous()
            return torchs(a, b, out=a.new_empty((*a.shape[:-1], b.shape[-1])))

        return product

    mm, bmm = of(torch.mm), of(torch.bmm)

    def scaled(added: torch.Tensor, product: torch.Tensor, beta: float, alpha: float) -> torch.Tensor:
        product = product if alpha == 1 else product * alpha
        return product if beta == 0 else product + (added if beta == 1 else added * beta)

    library = torch.library.Library("aten", "IMPL")  # type: ignore[no-untyped-call]
    _libraries.append(library)
    kernels = {
        "mm": mm,
        "bmm": bmm,
        "mv": lambda a, b: mm(a, b[:, None])[:, 0],
        "dot": lambda a, b: mm(a[None], b[:, None])[0, 0],
        "addmm": lambda added, a, b, *, beta=1, alpha=1: scaled(added, mm(a, b), beta, alpha),
        "baddbmm": lambda added, a, b, *, beta=1, alpha=1: scaled(added, bmm(a, b), beta, alpha),
    }
    with warnings.catch_warnings(action="ignore"):  # torch warns that its own kernels are replaced
        for kernel, function in kernels.items():
            library.impl(kernel, function, "CPU")  # type: ignore[no-untyped-call]

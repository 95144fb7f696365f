"""What is done with a mask: what attention does, and what learners do in its place."""

import math

import torch
from torch import Tensor

ADDED = "added"  # to the scaled scores, before the softmax: what attention does
FACTOR = "factor"  # a hidden score is multiplied by 0 in place of −∞, so that it is read as any score of 0
ZEROED = "zeroed"  # hidden attention weights become 0 after the softmax
SHARED = "renormalized"  # and what is left of each row is divided by its sum
LATE = (ZEROED, SHARED)  # after the softmax
MASK_USES = (ADDED, FACTOR, *LATE)


def dropout_mask(kept: Tensor, p: float) -> Tensor:
    """Return the mask that does, after the softmax, what dropout does: what isn't kept is 0, the rest divided by 1 − p.

    Source: Srivastava et al. 2014, Dropout; torch.nn.Dropout divides while it trains.
    """
    return torch.where(kept, -math.log1p(-p), -math.inf)


def dropped_by(mask: Tensor) -> float | None:
    """Return the p of the dropout that a mask does after the softmax; None where it does something else.

    >>> dropped_by(dropout_mask(torch.tensor([[True, False]]), 0.5)), dropped_by(torch.zeros(2, 2))
    (0.5, None)
    """
    raised = mask[mask != -math.inf]
    if not raised.numel() or not 0 < float(raised[0]) < math.inf or not bool((raised == raised[0]).all()):
        return None
    return round(-math.expm1(-float(raised[0])), 6)  # float32 has no more of it

"""What must be true where a question about learning and order says it."""

import numpy as np
import pytest
import torch

from attnviz.core.scenario import traced
from attnviz.core.seeding import sinusoidal_positions
from attnviz.features.questions.about.order import RATE
from tests.features.questions.unit.seen.sentences import about, number, referee
from tests.features.questions.unit.seen.world import World, array, gap


def loss_of(context: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.mse_loss(context[:-1], x[1:])


def stepped_loss(w: World) -> float:
    """The loss after one step of torch's own gradient descent, in float64."""
    x = w.now.x.double()
    moving = [getattr(w.now, name).double().requires_grad_() for name in ("w_q", "w_k", "w_v")]

    def loss() -> torch.Tensor:
        q, k, v = (x @ each for each in moving)
        return loss_of(torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True), x)

    loss().backward()  # type: ignore[no-untyped-call]
    torch.optim.SGD(moving, lr=RATE).step()
    return float(loss().detach())


@referee("learned.origins")
def _(w: World, learned: str, computed: str) -> None:
    assert learned == "W_q, W_k, W_v"
    assert computed == "Q, K, V, S, S′, A, C"


@referee("learned.loss")
def _(w: World, loss: str) -> None:
    assert about(loss, float(loss_of(torch.tensor(w.ref["context"]), w.now.x.double())), 0.0)


@referee("learned.loss_before")
def _(w: World, loss: str) -> None:
    assert w.now.tokens == w.start.tokens
    assert about(loss, float(loss_of(torch.tensor(w.ref_start["context"]), w.start.x.double())), 0.0)


def _next(w: World, loss: str, sign: int) -> None:
    # Where a step is far too long, float32 and float64 step elsewhere.
    now, then = float(loss_of(torch.tensor(w.ref["context"]), w.now.x.double())), stepped_loss(w)
    if now < 100 and then < 100:
        assert number(loss) == pytest.approx(then, rel=0.01, abs=10.0**-w.digits)
        assert sign * (then - now) > -1e-4 * now - 10.0**-w.digits * (sign == 0)


@referee("learned.next.lower")
def _(w: World, loss: str) -> None:
    _next(w, loss, -1)


@referee("learned.next.higher")
def _(w: World, loss: str) -> None:
    _next(w, loss, 1)


@referee("learned.next.same")
def _(w: World, loss: str) -> None:
    _next(w, loss, 0)


@referee("learned.next.too_large")
def _(w: World) -> None:
    then = stepped_loss(w)
    assert not then < 1e8  # numbers that no reader can follow


@referee("learned.other_sentence")
def _(w: World) -> None:
    assert w.now.tokens != w.start.tokens


@referee("order.with_positions")
def _(w: World) -> None:
    _positions(w, sinusoidal_positions(*w.now.x.shape))


@referee("order.without_positions")
def _(w: World) -> None:
    _positions(w, torch.zeros_like(w.now.x))


def _positions(w: World, vectors: torch.Tensor) -> None:
    edited = {(edit.row, edit.column) for edit in w.scenario.edits if edit.matrix in ("x", "e", "p")}
    rows = [w.start.tokens.index(token) for token in w.now.tokens]
    drawn = traced(w.question.start).x[rows]
    for row, column in np.ndindex(*w.now.x.shape):
        if (row, column) not in edited:
            assert float(w.now.x[row, column]) == pytest.approx(float((drawn + vectors)[row, column]), abs=1e-5)


_OWN_ERROR = 2e-6  # of float32, which the page computes in: of a last digit of six it may decide


def _context(w: World, token: str, context: str, text: str) -> tuple[np.ndarray, np.ndarray, float]:
    """The context vector, and that of the same token in the first order: with the same vectors, W's and positions."""
    assert text == w.question.start.text != w.scenario.text
    i, tokens = w.names.index(token), tuple(text.split())
    old = tokens.index(w.now.tokens[i])
    assert context == f"({', '.join(w.shown(array(w.now.context[i])))})"
    vectors = w.now.x if w.now.p is None else w.now["e"]
    rows = [vectors[w.now.tokens.index(each)] if each in w.now.tokens else traced(w.question.start).x[at]
            for at, each in enumerate(tokens)]  # fmt: skip
    x = torch.stack(rows) + (0 if w.now.p is None else w.now.p)
    q, k, v = (x.double() @ w.double() for w in (w.now.w_q, w.now.w_k, w.now.w_v))
    first = array(torch.nn.functional.scaled_dot_product_attention(q, k, v))
    return array(w.now.context[i]), first[old], gap(w.ref["context"][i], first[old])


@referee("order.context.first")
def _(w: World, token: str, context: str) -> None:
    assert w.scenario.text == w.question.start.text
    assert context == f"({', '.join(w.shown(array(w.now.context[w.names.index(token)])))})"


@referee("order.context.same")
def _(w: World, token: str, context: str, text: str) -> None:
    now, start, _ = _context(w, token, context, text)
    assert w.shown(now) == w.shown(start) or gap(now, start) <= _OWN_ERROR * abs(start).max()


@referee("order.context.rounded")
def _(w: World, token: str, context: str, text: str) -> None:
    now, start, exact = _context(w, token, context, text)
    assert exact <= 0.2 * gap(now, start)


@referee("order.context.other")
def _(w: World, token: str, context: str, text: str) -> None:
    now, start, exact = _context(w, token, context, text)
    assert w.shown(now) != w.shown(start)
    assert exact > 0


def _both(w: World, token: str) -> tuple[np.ndarray, np.ndarray, float]:
    i, j = (i for i, each in enumerate(w.now.tokens) if each == token)
    return array(w.now.context[i]), array(w.now.context[j]), gap(w.ref["context"][i], w.ref["context"][j])


@referee("order.twice.same")
def _(w: World, token: str) -> None:
    one, other, _ = _both(w, token)
    assert w.shown(one) == w.shown(other)


@referee("order.twice.rounded")
def _(w: World, token: str) -> None:
    one, other, exact = _both(w, token)
    assert exact <= 0.2 * np.abs(one - other).max()


@referee("order.twice.other")
def _(w: World, token: str, gap: str) -> None:
    one, other, exact = _both(w, token)
    assert gap == w.write(np.abs(one - other).max())
    assert exact > 0

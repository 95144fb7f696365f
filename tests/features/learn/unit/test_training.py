"""Watch it learn: the numbers of a training are those of plain torch, and every default teaches what its text says."""

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from torch import Tensor

from attnviz import explain
from attnviz.core.limits import MAX_TEXT_CHARACTERS
from attnviz.features.learn.training import (
    TASKS,
    Batch,
    Learner,
    Training,
    TrainingSettings,
    finished,
    settings_for,
    task_of,
    train,
)
from attnviz.features.learn.training.settings import LEARNED_POSITIONS, MODEL_NORMS, OPTIMIZERS
from attnviz.features.learn.training.tasks.base import START
from attnviz.features.learn.training.tasks.stories import Stories
from tests.examples import examples
from tests.unit.displayed_arithmetic import check_arithmetic

TEXT = "the cat sat on the mat. the dog sat on the log. the cat saw the dog. " * 4
SETTINGS: dict[str, Any] = {"text": {"text": TEXT, "length": 12}}
each_task = pytest.mark.parametrize("name", TASKS)


@cache
def trained(name: str = "agreement", **settings: Any) -> Training:
    """One training for all tests that ask for the same."""
    return train(name, **SETTINGS.get(name, {}), **settings)


def small(name: str, **settings: Any) -> Training:
    return trained(name, **{"steps": 4, "batch_size": 4, **settings})


def normed(x: Tensor, w: Mapping[str, Tensor], i: int) -> Tensor:
    return F.layer_norm(x, x.shape[-1:], w[f"gamma_{i}"], w[f"beta_{i}"])


def turned(x: Tensor) -> Tensor:
    """Each pair of neighbours turned by its place, as Su et al. 2021 have it: as complex numbers."""
    *_, n, d = x.shape
    angles = torch.arange(n)[:, None] * 10_000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], d // 2, 2).contiguous())
    turns = torch.polar(torch.ones_like(angles), angles).to(pairs.dtype)
    return torch.view_as_real(pairs * turns).flatten(-2)


def plainly(training: Training, batch: Batch, given: Mapping[str, Tensor]) -> Tensor:
    """The loss of a batch as everybody writes such a model in plain torch: the referee."""
    asked, task = training.settings, training.model.task
    x = F.embedding(batch.ids, given["w_e"])
    if asked.positions == "learned":
        x = x + given["w_p"][: task.length]
    causal = torch.ones(task.length, task.length, dtype=torch.bool).triu(1)
    for layer in range(asked.n_layers):
        path = f"layers.{layer}." if asked.n_layers > 1 else ""
        w = {name.removeprefix(path): each for name, each in given.items() if name.startswith(path)}
        into = normed(x, w, 1) if asked.norm == "pre" else x
        q, k, v = (
            (into @ w[f"w_{part}"]).reshape(*x.shape[:2], asked.n_heads, -1).transpose(1, 2) for part in "qkv"
        )  # (texts, heads, tokens, d_k of a head)
        if asked.positions == "rotary":
            q, k = turned(q), turned(k)
        made = F.scaled_dot_product_attention(q, k, v, attn_mask=~causal).transpose(1, 2).flatten(2) @ w["w_o"]
        x = x + made
        if asked.norm == "post":
            x = normed(x, w, 1)
        if asked.d_ff:
            into = normed(x, w, 2) if asked.norm == "pre" else x
            hidden = into @ w["w_1"] + w["b_1"]
            hidden = F.relu(hidden) if asked.activation == "relu" else F.gelu(hidden)
            x = x + hidden @ w["w_2"] + w["b_2"]
            if asked.norm == "post":
                x = normed(x, w, 2)
    logits = x @ (given["w_e"].T if asked.tied else given["w_u"]) + given.get("b_u", 0)
    return F.cross_entropy(logits[:, :-1][batch.counted], batch.ids[:, 1:][batch.counted])


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_a_step_is_that_of_torchs_optimizer(optimizer: str) -> None:
    training = small("repeat", optimizer=optimizer, rates=((2, 0.001),))
    given = {name: each.clone().requires_grad_() for name, each in training.at(0).parameters.items()}
    kinds: dict[str, Any] = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}
    more: dict[str, Any] = {"betas": (0.9, 0.99)} if optimizer == "adam" else {}
    referee = kinds[optimizer](list(given.values()), lr=training.settings.learning_rate, **more)
    for step in range(4):
        if step == 2:
            referee.param_groups[0]["lr"] = 0.001
        referee.zero_grad()
        plainly(training, training.model.examples(step), given).backward()  # type: ignore[no-untyped-call]
        referee.step()
        for name, each in training.at(step + 1).parameters.items():
            torch.testing.assert_close(given[name], each, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_a_step_is_told_with_the_arithmetic_of_its_optimizer(optimizer: str) -> None:
    training = small("agreement", optimizer=optimizer, frozen=("w_e",))
    taken = training.step_taken(2)
    assert (taken.step, taken.loss, taken.rate) == (2, training.losses[2], training.settings.learning_rate)
    assert taken.updates.keys() == {*training.model.shapes} - {"w_e"}
    assert len(taken.texts) == 4
    assert all(text[0] == START for text in taken.texts)
    gradients = training.gradients(2).of
    for name, update in taken.updates.items():
        assert torch.equal(update.before, training.at(2).parameters[name])
        assert torch.equal(update.after, training.at(3).parameters[name])
        torch.testing.assert_close(update.gradient, gradients[name])
        if update.mean is None or update.mean_square is None:
            want = update.before - taken.rate * update.gradient
        else:  # Kingma and Ba 2015, algorithm 1
            mean, square = update.mean / (1 - 0.9**3), update.mean_square / (1 - 0.99**3)
            want = update.before - taken.rate * mean / (square.sqrt() + 1e-8)
        torch.testing.assert_close(update.after, want, rtol=1e-5, atol=1e-6)
    for step in (-1, 4):
        with pytest.raises(ValueError, match=f"{step} can't be step: take a whole number from 0 to 3"):
            training.step_taken(step)


def test_nobody_elses_randomness_is_read_or_moved() -> None:
    torch.manual_seed(1)
    first, state = train("sort", steps=3, batch_size=4).losses, torch.get_rng_state()
    torch.rand(5)
    assert train("sort", steps=3, batch_size=4).losses == first
    torch.manual_seed(1)
    assert torch.equal(torch.get_rng_state(), state)


# What each task teaches with its defaults: what the law is worth, what the head does, and how it began.
TEACHES = {
    "agreement": (1.0, ("subject", 0.9)),
    "repeat": (0.95, ("induction", 0.6)),
    "order": (1.0, ("bitten", 0.9)),
    "sort": (0.99, ("next", 0.8)),
    "stories": (0.98, ("recall", 0.7)),
}


@pytest.mark.parametrize("name", TEACHES)
def test_every_default_teaches_what_its_text_says(name: str) -> None:
    training, (accuracy, (figure, share)) = trained(name), TEACHES[name]
    first, last = training.moments[0], training.moments[-1]
    assert last.accuracy >= accuracy
    assert last.figures[figure] >= share
    assert first.accuracy <= 0.5
    assert first.figures[figure] < 0.5
    assert last.loss < first.loss / 2
    assert not training.stopped
    assert len(training.moments) >= 60
    assert training.n_bytes <= 5 * 2**20


def _rows(batch: Batch) -> set[tuple[int, ...]]:
    return set(map(tuple, batch.ids.tolist()))


@each_task
@given(seed=st.integers(0, 2**31))
@hypothesis_settings(max_examples=5)
def test_what_is_held_out_is_never_learned_from(name: str, seed: int) -> None:
    task = task_of(settings_for(TASKS[name], **SETTINGS.get(name, {})))
    drawn = _rows(task.draw(300 if name == "stories" else 10_000, torch.Generator().manual_seed(seed)))
    assert not _rows(task.held_out()) & drawn


@given(
    text=st.text("ab ", min_size=8, max_size=60) | st.text("ab", min_size=1, max_size=5).map(lambda each: each * 12),
    length=st.integers(2, 12),
    seed=st.integers(0, 2**31),
)
def test_what_is_held_out_of_any_text_is_never_learned_from(text: str, length: int, seed: int) -> None:
    """Also where a text repeats itself, and as its script draws it."""
    settings, most = settings_for(TASKS["text"], text=text, length=length), len(text) - 1 - len(text) // 10
    if len({text[at : at + min(length, most)] for at in range(len(text) - min(length, most) + 1)}) == 1:
        with pytest.raises(ValueError, match="nothing of it can be held out"):
            task_of(settings)
        return
    task = task_of(settings)
    learned = task.draw(500, torch.Generator().manual_seed(seed))
    assert not _rows(task.held_out()) & _rows(learned)
    own: dict[str, Any] = {"torch": torch}
    exec(task.code(), own)
    assert torch.equal(own["draw"](500, torch.Generator().manual_seed(seed))[0], learned.ids)


@each_task
def test_a_moment_is_a_trace_whose_every_cell_is_explained(name: str) -> None:
    training = small(name, batch_size=2)
    trace = training.trace(4)
    n = len(trace.tokens)
    torch.testing.assert_close(trace.probabilities.sum(-1), torch.ones(n))
    following = torch.tensor(training.model.task.ids_of(trace.tokens)[1:])
    torch.testing.assert_close(
        trace.losses[:, 0], F.cross_entropy(trace.logits[:-1], following, reduction="none"), rtol=1e-5, atol=1e-6
    )
    assert trace.loss.item() == pytest.approx((trace.counted @ trace.losses).item())
    assert trace.counted.sum().item() == pytest.approx(1)
    for matrix, stage in trace.stages.items():
        if stage.kind in ("lookup", "surprise") or matrix in ("logits", "probabilities", "loss"):
            for cell in {(0, 0), (trace[matrix].shape[0] - 1, trace[matrix].shape[1] - 1)}:
                check_arithmetic(explain(trace, matrix, *cell))


def test_an_own_text_is_gone_on_with() -> None:
    training = trained("text", steps=150)
    assert training.moments[-1].loss < 0.5 * training.moments[0].loss
    best = training.generate(150, "the", 20, top_k=1)
    assert best == training.generate(150, "the", 20, top_k=1, seed=5)
    assert "".join(best[:3]) == "the"
    assert len(best) == 23
    drawn = {training.generate(150, "the", 20, temperature=2.0, seed=seed) for seed in range(4)}
    assert len(drawn) == 4
    assert training.generate(150, "the", 20, seed=1) == training.generate(150, "the", 20, seed=1)
    words = trained("text", steps=2, cut="words")
    assert words.trace(2, "the cat sat").tokens == ("the", "cat", "sat")


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "empty text": ({"task": "text", "text": ""}, "0 tokens, and at least 8"),
    "one word": ({"task": "text", "text": "word", "cut": "words"}, "1 token, and at least 8"),
    "too long": ({"task": "text", "text": "a" * (MAX_TEXT_CHARACTERS + 1)}, "20,001 characters, and at most"),
    "another task": (
        {"task": "chess"},
        "'chess' can't be task. Take one of these: agreement, repeat, order, sort, stories, text",
    ),
    "too wide": ({"d_model": 65}, "65 can't be d_model: take a whole number from 1 to 64"),
    "too long a window": ({"task": "text", "text": TEXT, "length": 65}, "65 can't be length"),
    "too many layers": ({"n_layers": 4}, "4 can't be n_layers"),
    "uneven heads": ({"n_heads": 3}, "3 heads can't share out d_k = 4"),
    "odd turns": ({"positions": "rotary", "d_k": 3}, "d_k = 3 a head has an odd number"),
    "no rate": ({"learning_rate": math.nan}, "nan can't be learning_rate"),
    "no steps": ({"steps": 0}, "0 can't be steps"),
    "another optimizer": ({"optimizer": "magic"}, "'magic' can't be optimizer. Take one of these: adam, sgd"),
    "frozen nothing": ({"frozen": ("w_x",)}, "no matrix 'w_x' to freeze"),
    "rates that go back": ({"rates": ((5, 0.1), (5, 0.2))}, "expected steps one after the other"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_learned_is_refused_with_its_limits(case: str) -> None:
    asked, said = REFUSED[case]
    with pytest.raises(ValueError, match=".*".join(said.split(", "))) as refused:
        Learner(TrainingSettings(**asked))
    assert said in str(refused.value)


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_too_large_a_rate_ends_the_training_and_keeps_its_curves(optimizer: str) -> None:
    training = train("agreement", steps=50, optimizer=optimizer, learning_rate=1e9)
    assert training.stopped == "loss"
    assert 0 < len(training.losses) < 50
    assert all(math.isfinite(loss) for loss in training.losses)
    assert training.moments[0].step == 0
    assert train("agreement", steps=2).stopped == ""


def test_a_training_is_paused_and_ended_and_changed_on_its_way() -> None:
    learner = Learner(settings_for(TASKS["agreement"], steps=10))
    steps = learner.steps()
    first = [next(steps) for _ in range(4)]
    assert [step.step for step in first] == [1, 2, 3, 4]
    half = finished(learner)
    assert half.losses == train("agreement", steps=4).losses
    assert half.moments[-1].step == 4
    learner.change_rate(0.001)
    rest = list(steps)
    assert len(rest) == 6
    assert finished(learner).losses == train(learner.settings).losses
    assert learner.settings.rates == ((4, 0.001),)
    assert finished(learner).losses[:4] == half.losses


STEPS = 2


@st.composite
def asked(draw: st.DrawFn) -> TrainingSettings:
    """Any task, any model and any way to learn it, so small that much of it can be tried."""
    name = draw(st.sampled_from(sorted(TASKS)))
    n_heads, positions = draw(st.integers(1, 4)), draw(st.sampled_from(LEARNED_POSITIONS))
    own = draw(st.integers(1, 3)) * (2 if positions == "rotary" else 1)
    more: dict[str, Any] = {
        "n_layers": st.integers(1, 3), "d_model": st.integers(3, 12), "norm": st.sampled_from(MODEL_NORMS),
        "d_ff": st.none() | st.integers(1, 8), "activation": st.sampled_from(("relu", "gelu")),
        "tied": st.booleans(), "bias": st.booleans(), "heads_alike": st.booleans(), "batch_size": st.integers(1, 4),
        "seed": st.integers(0, 2**32 - 1), "optimizer": st.sampled_from(OPTIMIZERS),
        "learning_rate": st.floats(0.001, 0.05), "frozen": st.sampled_from(((), ("w_e",))),
    }  # fmt: skip
    drawn = {each: draw(kind) for each, kind in more.items()}
    return settings_for(
        TASKS[name], steps=STEPS, n_heads=n_heads, d_k=n_heads * own, positions=positions,
        **SETTINGS.get(name, {}), **drawn,
    )  # fmt: skip


def in_float64(training: Training) -> dict[str, Tensor]:
    return {name: each.double() for name, each in training.at(STEPS).parameters.items()}


@given(asked())
@hypothesis_settings(max_examples=examples(250), deadline=None)
def test_every_gradient_is_that_of_plain_torch(asked: TrainingSettings) -> None:
    training = train(asked)
    found = training.gradients(STEPS, torch.float64)
    parameters = {name: each.requires_grad_() for name, each in in_float64(training).items()}
    loss = plainly(training, training.model.examples(STEPS), parameters)
    wanted = torch.autograd.grad(loss, list(parameters.values()))
    before = plainly(training, training.model.examples(1), training.at(1).parameters)
    assert training.losses[1] == pytest.approx(before.item(), rel=1e-4)
    assert found.loss == pytest.approx(loss.item(), rel=1e-10)
    assert found.of.keys() == parameters.keys()
    for (name, gradient), want in zip(found.of.items(), wanted, strict=True):
        torch.testing.assert_close(gradient, want, rtol=1e-7, atol=1e-10, msg=name)


def test_the_law_of_stories_is_what_is_foretold() -> None:
    task = Stories()
    words = tuple(task.vocabulary[i] for i in task.held_out().ids[0].tolist())
    foretold = task.held_out().foretold[0].tolist()
    assert [task.law(words[: at + 1]) for at, each in enumerate(foretold) if each] == [
        words[at + 1] for at, each in enumerate(foretold) if each
    ]

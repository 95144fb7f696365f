"""A training to take home: a script in plain PyTorch, a notebook, a moment as tensors, or as a scenario to edit."""

import json
from dataclasses import asdict
from functools import partial
from textwrap import wrap
from typing import Any

import numpy as np
from torch import Tensor

from attnviz.core.attention import AttentionTrace
from attnviz.core.layers import named
from attnviz.core.limits import RefusedError
from attnviz.core.rules import Rotate
from attnviz.core.scenario import Scenario
from attnviz.core.stages import LAYERS, NORMS
from attnviz.core.tokens import TOKENIZERS, tokenize, visible
from attnviz.export.reading import write_tensors
from attnviz.export.script import as_notebook
from attnviz.training.learning import BETAS, STRIDE, moment_steps
from attnviz.training.model import EMBEDDINGS, block_of, spread
from attnviz.training.settings import TrainingSettings
from attnviz.training.training import Training

Section = tuple[str, list[str]]  # what it does, and its lines


def training_script(training: Training, step: int | None = None, text: str | None = None) -> str:
    """Return a Python script that needs torch alone, trains the same model up to a step, and prints the same losses and
    the attention weights of a text there, with four decimals.

    Raises ``ValueError`` for a step or a text that doesn't fit.

    >>> from attnviz.training import train
    >>> print(training_script(train("sort", steps=2)).splitlines()[0])
    # sort, seed 0: watch it learn, in plain PyTorch.
    """
    title, sections = _told(training, step, text)
    parts = ["\n".join((f"# {what}", *lines)) for what, lines in sections]
    return "\n\n".join((f"# {title}", "import torch", *parts)) + "\n"


def training_notebook(training: Training, step: int | None = None, text: str | None = None) -> str:
    """Return the same script as a Jupyter notebook (JSON, nbformat 4.5), a cell for each of its parts."""
    title, sections = _told(training, step, text)
    return as_notebook(title, "import torch", sections)


def moment_safetensors(training: Training, step: int) -> bytes:
    """Return every learned matrix at a step as a safetensors file, with settings, step and vocabulary as metadata.

    The step is that of the last moment kept up to it. Raises ``ValueError`` for a step outside of the training,
    ``ModuleNotFoundError`` where the package safetensors is not installed.
    """
    moment = training.at(step)
    metadata = {
        "settings": json.dumps(asdict(training.settings)),
        "step": str(moment.step),
        "vocabulary": json.dumps(list(training.model.task.vocabulary)),
    }
    return write_tensors({name: each.contiguous() for name, each in moment.parameters.items()}, metadata)


def _told(training: Training, step: int | None, text: str | None) -> tuple[str, list[Section]]:
    settings, task = training.settings, training.model.task
    end = training.at(len(training.losses) if step is None else step).step
    tokens = task.tokens_of(task.example if text is None else text)
    title = f"{settings.task}, seed {settings.seed}: watch it learn, in plain PyTorch."
    return title, [
        ("Sums in the same order on every machine", ["torch.set_num_threads(1)"]),
        ("The task", task.code().rstrip().split("\n")),
        ("What is learned, and how it starts", _start(training)),
        ("The model", _model(settings)),
        ("The training", _training(settings, end)),
        ("What the heads read", _reading(task.ids_of(tokens))),
    ]


def _start(training: Training) -> list[str]:
    settings, shapes = training.settings, training.model.shapes
    own = settings.d_k // settings.n_heads
    alike = [
        '    if name[-3:] in ("w_q", "w_k", "w_v"):',
        f"        made = made[:, :{own}].repeat(1, {settings.n_heads})",
        '    if name[-3:] == "w_o":',
        f"        made = made[:{own}].repeat({settings.n_heads}, 1)",
    ]
    return [
        *wrap(f"SHAPES = {dict(shapes)}", 110, subsequent_indent="    ", break_long_words=False),
        f"generator = torch.Generator().manual_seed({settings.seed})",
        "w = {}",
        "for name, shape in SHAPES.items():",
        "    if len(shape) == 1:  # a gain starts at 1, a bias at 0",
        '        made = torch.full(shape, float("gamma" in name))',
        f"    elif name in {EMBEDDINGS}:",
        f"        made = torch.randn(shape, generator=generator) * {spread(settings)!r}",
        "    else:  # as nn.Linear",
        "        made = torch.empty(shape).uniform_(-(shape[0] ** -0.5), shape[0] ** -0.5, generator=generator)",
        *(alike if settings.heads_alike else ()),
        f"    w[name] = made.requires_grad_({f'name not in {settings.frozen}' if settings.frozen else ''})",
    ]  # fmt: skip


def _model(settings: TrainingSettings) -> list[str]:
    several = settings.n_layers > 1
    unembedding = '@ w["w_e"].mT' if settings.tied else '@ w["w_u"]'
    bias = ' + w["b_u"]' if settings.bias else ""
    return [
        *([_NORM, "", ""] if settings.norm != "none" else ()),
        "def model(ids):",
        '    x = w["w_e"][ids]',
        *(['    x = x + w["w_p"][: ids.shape[1]]'] if settings.positions == "learned" else ()),
        "    weights = []",
        *([f"    for layer in range({settings.n_layers}):"] if several else ()),
        *(f"    {'    ' * several}{line}" for line in _layer(settings)),
        f"    logits = x {unembedding}{bias}",
        "    return logits, weights",
    ]


_NORM = """def norm(x, gamma, beta):
    return torch.nn.functional.layer_norm(x, x.shape[-1:]) * gamma + beta"""


def _layer(settings: TrainingSettings) -> list[str]:
    own = partial(_own, settings)
    into = f"norm(x, {own('gamma_1')}, {own('beta_1')})"
    return [
        f"into = {into if settings.norm == 'pre' else 'x'}",
        f"q, k, v = {', '.join(f'into @ {own(name)}' for name in ('w_q', 'w_k', 'w_v'))}",
        *_heads(settings),
        f"x = x + context @ {own('w_o')}",
        *([f"x = {into}"] if settings.norm == "post" else ()),
        *(_feed_forward(settings) if settings.d_ff else ()),
    ]


def _own(settings: TrainingSettings, name: str) -> str:
    """Write a learned matrix of a layer: by its name alone where there is one layer."""
    return f'w[f"layers.{{layer}}.{name}"]' if settings.n_layers > 1 else f'w["{name}"]'


def _heads(settings: TrainingSettings) -> list[str]:
    d_k = settings.d_k // settings.n_heads
    rotary = settings.positions == "rotary"
    return [
        "contexts = []",
        f"for part in {[(i * d_k, (i + 1) * d_k) for i in range(settings.n_heads)]}:",
        "    own_q, own_k, own_v = (each[..., part[0] : part[1]] for each in (q, k, v))",
        *(f"    {line}" for name in ("own_q", "own_k") if rotary for line in Rotate().code(name, name)),
        f"    scores = own_q @ own_k.mT / {d_k}**0.5",
        "    future = torch.ones_like(scores, dtype=torch.bool).triu(1)",
        '    weights.append(torch.softmax(scores.masked_fill(future, float("-inf")), dim=-1))',
        "    contexts.append(weights[-1] @ own_v)",
        "context = torch.cat(contexts, dim=-1)",
    ]


def _feed_forward(settings: TrainingSettings) -> list[str]:
    own = partial(_own, settings)
    normed = f"norm(x, {own('gamma_2')}, {own('beta_2')})"
    into = normed if settings.norm == "pre" else "x"
    return [
        f"hidden = torch.nn.functional.{settings.activation}({into} @ {own('w_1')} + {own('b_1')})",
        f"x = x + (hidden @ {own('w_2')} + {own('b_2')})",
        *([f"x = {normed}"] if settings.norm == "post" else ()),
    ]


def _training(settings: TrainingSettings, end: int) -> list[str]:
    rate = f"lr={settings.learning_rate!r}"
    kind = f"SGD(learned, {rate})" if settings.optimizer == "sgd" else f"Adam(learned, {rate}, betas={BETAS})"
    shown = [step for step in moment_steps(settings.steps) if step < end]
    changes = [
        f'    optimizer.param_groups[0]["lr"] = {dict(settings.rates)}.get(step, optimizer.param_groups[0]["lr"])'
    ]
    return [
        "learned = [each for each in w.values() if each.requires_grad]",
        f"optimizer = torch.optim.{kind}",
        f"shown = {shown}",
        f"for step in range({end}):",
        *(changes if settings.rates else ()),
        f"    generator = torch.Generator().manual_seed(({settings.seed} + {STRIDE} * (step + 1)) % 2**32)",
        f"    ids, counted = draw({settings.batch_size}, generator)",
        "    logits, _ = model(ids)",
        "    loss = torch.nn.functional.cross_entropy(logits[:, :-1][counted], ids[:, 1:][counted])",
        "    if step in shown:",
        '        print(f"step {step}: loss {loss.item():.4f}")',
        "    optimizer.zero_grad()",
        "    loss.backward()",
        "    optimizer.step()",
    ]


def _reading(ids: tuple[int, ...]) -> list[str]:
    return [
        "torch.set_printoptions(precision=4, sci_mode=False, linewidth=200)",
        f"ids = torch.tensor([{list(ids)}])",
        "print([VOCABULARY[i] for i in ids[0]])",
        "for each in model(ids)[1]:  # of each layer, head by head",
        "    print(each[0].detach())",
    ]


Rows = tuple[tuple[float, ...], ...]


def scenario_of(training: Training, trace: AttentionTrace) -> Scenario:
    """Return all layers of a model as a scenario, with the matrices that it has in a trace of one of its moments: it
    makes the same attention weights, and the same vectors behind the last layer. What follows these, the
    probabilities of the next token, a scenario doesn't have.

    In a scenario a context is as wide as X. Where it's narrower here, W_v has columns of zeros behind those of each
    head and W_o the rows that belong to them: they add nothing.

    Raises ``ValueError`` where a scenario has no room for it.

    >>> from attnviz.core.scenario import trace
    >>> from attnviz.training import train
    >>> training = train("repeat", steps=1)
    >>> made = training.trace(1)
    >>> again = trace(scenario_of(training, made))
    >>> again.n_layers, bool((again["layers.1.residual_1"] - made["layers.1.residual_1"]).abs().max() < 1e-5)
    (2, True)
    """
    settings = training.settings
    given: dict[str, Any] = {}
    for layer in range(settings.n_layers):
        given |= {named(layer, own): by for own, by in _of_layer(training, trace, layer).items()}
    learned = settings.positions == "learned"
    text, tokenizer = as_text(trace.tokens)
    matrices: dict[str, Any] = {
        name: numbers(trace[_first(trace, name)]) for name in (("e", "p") if learned else ("x",))
    }
    matrices |= {name: by for name, by in given.items() if "." not in name}
    return Scenario(
        text=text, tokenizer=tokenizer, embedding="stable", d_in=settings.d_model, d_out=settings.d_k,
        d_v=settings.d_model, n_heads=settings.n_heads, output=True, causal=True, norm=block_of(settings),
        d_ff=settings.d_ff, activation=settings.activation, n_layers=settings.n_layers,
        positions=settings.positions,
        deeper={name: by for name, by in given.items() if "." in name},
        **matrices,
    )  # fmt: skip


def _first(trace: AttentionTrace, name: str) -> str:
    return name if name in trace.stages else f"layers.0.{name}"


def _of_layer(training: Training, trace: AttentionTrace, layer: int) -> dict[str, Rows]:
    """Return what is learned of a layer, by the names that it has there."""
    settings, model = training.settings, training.model
    behind = ("w_q", "w_k", *LAYERS, *NORMS)
    names = {own: model.name_of(layer, None, own) for own in behind}
    given = {own: numbers(trace[name]) for own, name in names.items() if name in model.shapes}
    w_v, w_o = (trace[model.name_of(layer, None, own)] for own in ("w_v", "w_o"))
    d, n_heads, d_k = settings.d_model, settings.n_heads, settings.d_k
    if d_k > d or d % n_heads:
        raise RefusedError("block", width=d_k, d_in=d)
    wide_v, wide_o = w_v.new_zeros(d, d), w_o.new_zeros(d, d)
    for head in range(n_heads):
        own = slice(head * d_k // n_heads, (head + 1) * d_k // n_heads)
        place = slice(head * d // n_heads, head * d // n_heads + d_k // n_heads)
        wide_v[:, place], wide_o[place] = w_v[:, own], w_o[own]
    return given | {"w_v": numbers(wide_v), "w_o": numbers(wide_o)}


def numbers(matrix: Tensor) -> Rows:
    """Return the rows of a float32 matrix in as few digits as tell its numbers apart, for they travel in links.

    >>> import torch
    >>> numbers(torch.tensor([0.1, 2.5]))
    ((0.1, 2.5),)
    """
    rows = np.atleast_2d(matrix.detach().numpy().astype(np.float32))
    return tuple(tuple(float(str(value)) for value in row) for row in rows)


def as_text(tokens: tuple[str, ...]) -> tuple[str, str]:
    """Return a text, and the tokenizer that cuts it into these tokens; where none does, into their visible forms."""
    for joined in (" ", ""):
        for tokenizer in reversed(tuple(TOKENIZERS)):
            if tokenize(joined.join(tokens), tokenizer) == tokens:
                return joined.join(tokens), tokenizer
    return " ".join(map(visible, tokens)), "whitespace"

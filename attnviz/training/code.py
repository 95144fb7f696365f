"""A training to take home: a script in plain PyTorch, the same as a notebook, and a moment as a file of tensors."""

import json
from dataclasses import asdict
from functools import partial
from textwrap import wrap

from attnviz.core.rules import Rotate
from attnviz.export.code import as_notebook
from attnviz.export.reading import write_tensors
from attnviz.training.learning import BETAS, STRIDE, moment_steps
from attnviz.training.model import EMBEDDINGS, spread
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

"""Exports a training: as PyTorch script, notebook, tensors, or scenario."""

import json
from dataclasses import asdict
from textwrap import wrap
from typing import Any

import numpy as np
from torch import Tensor

from attnviz.core.arguments import typed
from attnviz.core.attention import AttentionTrace
from attnviz.core.layers import named
from attnviz.core.limits import RefusedError
from attnviz.core.masks import CAUSAL, MASKS
from attnviz.core.rules import Concatenate, Product, Slice
from attnviz.core.scenario import Scenario
from attnviz.core.stages import LAYERS, NORMS
from attnviz.core.tokens import TOKENIZERS, tokenize, visible
from attnviz.export.rules import code
from attnviz.export.script import as_notebook
from attnviz.export.tensors import write_tensors
from attnviz.features.learn.training.learning import BETAS, STRIDE, moment_steps
from attnviz.features.learn.training.model import EMBEDDINGS, block_of, layer_of, spread
from attnviz.features.learn.training.settings import TrainingSettings
from attnviz.features.learn.training.training import Training
from attnviz.words import say

Section = tuple[str, list[str]]  # (what it does, its lines)


@typed
def training_script(training: Training, step: int | None = None, text: str | None = None) -> str:
    """Return a PyTorch script that repeats a training up to a step.

    It prints the same losses and attention weights. Raises ``ValueError`` for a step or a text that doesn't fit.
    """
    title, sections = _told(training, step, text)
    parts = ["\n".join((f"# {what}", *lines)) for what, lines in sections]
    return "\n\n".join((f"# {title}", "import torch", *parts)) + "\n"


@typed
def training_notebook(training: Training, step: int | None = None, text: str | None = None) -> str:
    """Return the same script as a Jupyter notebook (JSON, nbformat 4.5)."""
    title, sections = _told(training, step, text)
    return as_notebook(title, "import torch", sections)


@typed
def moment_safetensors(training: Training, step: int) -> bytes:
    """Return the learned matrices at a step as safetensors, settings as metadata.

    They are those of the last moment kept up to that step. Raises ``ValueError`` for a step outside of the training,
    ``ModuleNotFoundError`` if the package safetensors isn't installed.
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
    parts = {
        "threads": ["torch.set_num_threads(1)"],
        "task": task.code().rstrip().split("\n"),
        "start": _start(training),
        "model": _model(settings),
        "steps": _training(settings, end),
        "reading": _reading(task.ids_of(tokens)),
    }
    title = _say("heading", task=settings.task, seed=settings.seed)
    rule = say(f"learn.tasks.{settings.task}.rule")
    return title, [(_say(name, rule=rule), lines) for name, lines in parts.items()]


def _say(name: str, **places: object) -> str:
    return say(f"share.script.training.{name}", **places)


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
        f"    if len(shape) == 1:  # {_say('gain')}",
        '        made = torch.full(shape, float("gamma" in name))',
        f"    elif name in {EMBEDDINGS}:",
        f"        made = torch.randn(shape, generator=generator) * {spread(settings)!r}",
        f"    else:  # {_say('linear')}",
        "        made = torch.empty(shape).uniform_(-(shape[0] ** -0.5), shape[0] ** -0.5, generator=generator)",
        *(alike if settings.heads_alike else ()),
        f"    w[name] = made.requires_grad_({f'name not in {settings.frozen}' if settings.frozen else ''})",
    ]


def _model(settings: TrainingSettings) -> list[str]:
    several, (bias, tied) = settings.n_layers > 1, (settings.bias, settings.tied)
    embedded = [f"{_W_E}[ids]", *['w["w_p"][: ids.shape[1]]'] * settings.position.adds]
    unembedding = code(Product(transposed=tied), "logits", "x", _W_E if tied else 'w["w_u"]', *['w["b_u"]'] * bias)
    return [
        f"d_k = {settings.d_k // settings.n_heads}  # {_say('of_head')}",
        "",
        "",
        "def model(ids):",
        f"    x, weights = {' + '.join(embedded)}, []",
        *(f"    {line}" for line in MASKS[CAUSAL].lines(0, "ids.shape[1], ids.shape[1]", 0)),
        *([f"    for layer in range({settings.n_layers}):"] if several else ()),
        *(f"    {'    ' * several}{line}" for line in _layer(settings)),
        *(f"    {line}" for line in unembedding),
        "    return logits, weights",
    ]


_W_E = 'w["w_e"]'


def _layer(settings: TrainingSettings) -> list[str]:
    """Return a layer's lines of code, with a loop over its heads."""
    table, lines, of_head = layer_of(settings), list[str](), list[str]()

    def called(name: str) -> str:
        base = name.rpartition(".")[2]
        if table[name].origin == "learned":
            return f'w[f"layers.{{layer}}.{base}"]' if settings.n_layers > 1 else f'w["{base}"]'
        return f"own_{base}" if base in table and base != name else base

    for name, stage in table.items():
        if stage.rule is None or stage.head or name == "x":
            continue
        own = code(stage.rule, called(name), *map(called, stage.sources))
        if stage.kind == Slice.name:
            own = [f"{called(name)} = {called(stage.sources[0])}[..., start : start + d_k]"]
        elif stage.kind == Concatenate.name:
            lines += [
                "contexts = []",
                f"for start in range(0, {settings.d_k}, d_k):",
                *(f"    {each}" for each in of_head),
            ]
            own = ["    contexts.append(own_context)", "context = torch.cat(contexts, dim=-1)"]
        elif stage.makes_shares:
            own.append("weights.append(attention_weights)")
        (lines if stage.head is None else of_head).extend(own)
    return [*lines, f"x = {name}"]


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
        f"for each in model(ids)[1]:  # {_say('layers')}",
        "    print(each[0].detach())",
    ]


Rows = tuple[tuple[float, ...], ...]


@typed
def scenario_of(training: Training, trace: AttentionTrace) -> Scenario:
    """Return a model's layers as a scenario, with a trace's learned matrices.

    It gives the same attention weights, and the same vectors after the last layer, but no probabilities of the next
    token. In a scenario, a context vector is as wide as X. Where it's narrower here, columns of zeros follow each
    head's columns in W_v, and rows of zeros its rows in W_o: they add nothing.

    Raises ``ValueError`` if the model doesn't fit into a scenario.
    """
    settings = training.settings
    given: dict[str, Any] = {}
    for layer in range(settings.n_layers):
        given |= {named(layer, own): by for own, by in _of_layer(training, trace, layer).items()}
    learned = settings.position.adds
    text, tokenizer = as_text(trace.tokens)
    matrices: dict[str, Any] = {
        name: numbers(trace[name if name in trace.stages else f"layers.0.{name}"])
        for name in (("e", "p") if learned else ("x",))
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


def _of_layer(training: Training, trace: AttentionTrace, layer: int) -> dict[str, Rows]:
    """Return a layer's learned matrices by their names within the layer."""
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
    """Return float32 rows with the fewest digits that keep their value.

    >>> import torch
    >>> numbers(torch.tensor([0.1, 2.5]))
    ((0.1, 2.5),)
    """
    rows = np.atleast_2d(matrix.detach().numpy().astype(np.float32))
    return tuple(tuple(float(str(value)) for value in row) for row in rows)


def as_text(tokens: tuple[str, ...]) -> tuple[str, str]:
    """Return a text and its tokenizer; failing that, the tokens' visible forms."""
    for joined in (" ", ""):
        for tokenizer in reversed(tuple(TOKENIZERS)):
            if tokenize(joined.join(tokens), tokenizer) == tokens:
                return joined.join(tokens), tokenizer
    return " ".join(map(visible, tokens)), "whitespace"

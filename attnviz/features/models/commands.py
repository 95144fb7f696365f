"""Commands that show a model's heads, and what it writes."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

from attnviz.commands import Parser
from attnviz.core.limits import check_whole
from attnviz.documents.page import tables
from attnviz.explanation.head_figures import ALL_SHARES, figures_in_words
from attnviz.export import json_pieces
from attnviz.features.language_models.inside import INCLUDED, STORIES, ModelTrace, OtherLayer, Written, load, look_into
from attnviz.features.language_models.inside.available_models import ALONG
from attnviz.features.language_models.inside.hybrids import others_in_words
from attnviz.features.language_models.inside.layers.layer import Kind
from attnviz.features.language_models.inside.pieces import Read
from attnviz.features.language_models.inside.uses import costs_in_words
from attnviz.features.models.model_pages import head_report, model_page
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS, MAX_DIGITS, MIN_DIGITS


def model(arguments: Sequence[str]) -> int:
    """Print what a model computes; return 0."""
    parser = _parser("model", INCLUDED)
    parser.add("--second", metavar="TEXT")
    parser.add("--target")
    parser.add("--kind", choices=get_args(Kind))
    parser.add("--edit", action="append", default=[], metavar="CHANGE")
    parser.add("--layer", type=int)
    parser.add("--head", type=int)
    parser.add("--digits", type=int, default=DEFAULT_DIGITS)
    form = parser.add_mutually_exclusive_group()
    parser.add("--json", form, action="store_true")
    parser.add("--html", form, type=Path, metavar="FILE")
    given = parser.parse_args(arguments)
    if (given.layer is None) != (given.head is None):
        raise ValueError("--layer and --head go together, expected both or neither")
    check_whole("--digits", given.digits, MIN_DIGITS, MAX_DIGITS)
    view = _look(
        given.model,
        given.text if given.second is None else (given.text, given.second),
        target=given.target,
        edits=given.edit,
    )
    if given.kind is not None:
        view = view.only(given.kind)
    elif len(view.kinds) > 1 and given.html is not None and given.layer is None:
        raise ValueError(f"the model has attention of the kinds {', '.join(view.kinds)}, expected one: --kind cross")
    place = None if given.layer is None else (given.layer, given.head)
    if place is not None and place not in view.heads:
        most = f"{view.n_layers - 1} and {view.n_heads - 1}"
        why = "".join(f". {each}" for each in others_in_words(view.layers))
        raise ValueError(f"there is no layer {place[0]} with a head {place[1]}, expected them up to {most}{why}")
    _write(view, place, given)
    return 0


def _parser(command: str, included: str) -> Parser:
    parser = Parser(command)
    parser.add("text")
    parser.add("--model", default=included)
    return parser


def _look(model: str, text: Read, **more: Any) -> ModelTrace:
    if model in ALONG:
        return look_into(model, text=text, **more)
    return look_into(*load(model), text, **more)


def _write(view: ModelTrace, place: tuple[int, int] | None, given: argparse.Namespace) -> None:
    for notice in view.notices:
        print(f"attnviz: {notice}", file=sys.stderr)
    if given.html is not None:
        page = model_page(view) if place is None else head_report(view, *place, digits=given.digits)
        given.html.write_text(page, encoding="utf-8", errors="replace")
    elif place is None:
        measured = measured_heads(view)
        print(json.dumps(measured) if given.json else "\n".join(heads_in_lines(view)))
    elif given.json:
        sys.stdout.writelines(json_pieces(view.attending_at(place[0]).whole(place[1])))
        print()
    else:
        trace = view.attending_at(place[0]).whole(place[1])
        if view.layers[place[0]].kind != "cross":
            print(figures_in_words(view.measured(*place), place[1], ALL_SHARES)["full"] + "\n")
        print("\n\n".join(tables(trace, given.digits)))
        for notice in trace.notices:
            print(f"attnviz: {notice}", file=sys.stderr)


def measured_heads(view: ModelTrace) -> Mapping[str, Any]:
    """Return the figures of all heads, as values for JSON."""
    heads = [
        {"layer": layer, "head": head}
        | ({"kind": view.layers[layer].kind} if len(view.kinds) > 1 else {})
        | ({} if (measured := view.measured(layer, head)) is None else asdict(measured))
        for layer, head in view.heads
    ]
    others = [{"layer": at, "does": str(each)} for at, each in enumerate(view.layers) if isinstance(each, OtherLayer)]
    return {"model": view.name, "tokens": list(view.tokens), "heads": heads} | ({"others": others} if others else {})


def heads_in_lines(view: ModelTrace) -> list[str]:
    """Say of each head what it reads most."""
    lines = []
    for layer, head in view.heads:
        measured = view.measured(layer, head)
        kind = view.layers[layer].kind
        told = say("models.reads_encoder") if kind == "cross" else figures_in_words(measured, head, ALL_SHARES)["short"]
        lines.append(f"{layer:>3} {head:>3}  " + (f"{kind:<8} " if len(view.kinds) > 1 else "") + told)
    return ["layer, head", *lines, *others_in_words(view.layers)]


def write(arguments: Sequence[str]) -> int:
    """Print what a model writes after a text; return 0."""
    parser = _parser("write", STORIES)
    parser.add("--tokens", type=int, default=10)
    parser.add("--seed", type=int, default=0)
    parser.add("--temperature", type=float, default=1.0)
    parser.add("--top-k", type=int)
    parser.add("--top-p", type=float)
    parser.add("--no-cache", action="store_true")
    parser.add("--json", action="store_true")
    given = parser.parse_args(arguments)
    steps = _look(given.model, given.text).write(
        given.tokens, temperature=given.temperature, top_k=given.top_k, top_p=given.top_p, seed=given.seed,
        cache=not given.no_cache,
    )  # fmt: skip
    print(_steps_as_json(steps) if given.json else "\n".join(_steps_in_lines(steps)))
    return 0


def _steps_as_json(steps: Sequence[Written]) -> str:
    tokens = [{"id": step.id, "token": step.token, "logit": float(step.chances.logits[step.id]),
               "probability": float(step.chances.probabilities[step.id]), "rows": step.rows}
              for step in steps]  # fmt: skip
    return json.dumps({"model": steps[0].view.name, "text": steps[-1].text, "tokens": tokens})


def _steps_in_lines(steps: Sequence[Written]) -> list[str]:
    width = max(len(step.token) for step in steps)
    lines = [steps[-1].text, ""]
    for step in steps:
        probability = float(step.chances.probabilities[step.id])
        lines.append(f"{step.token:<{width}}  {probability:.4f}  {say('write.rows', n=step.rows)}")
    return [*lines, "", *costs_in_words(steps[-1].view)]

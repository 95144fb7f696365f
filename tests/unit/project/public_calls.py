"""Every public function, class and method, with arguments that are found by the parameters' names."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import chain
from typing import Any

import numpy as np
import torch

import attnviz
from attnviz import Scenario, export, figures
from attnviz.explanation.comparing import Comparison
from attnviz.feature import features
from attnviz.figures.small_tables import Points, Table
from tests.said import joined, of_features

# The kernel's modules, those that features' tests name, and modules of features' public names.
_OF_FEATURES = {f"{each.package}.{place.partition(':')[0]}" for each in features() for place in each.public.values()}
MODULES = ("attnviz", "attnviz.documents", "attnviz.explanation", "attnviz.export", "attnviz.figures",
           *chain.from_iterable(of_features("MODULES")),
           *(name for name in sorted(_OF_FEATURES) if hasattr(import_module(name), "__all__")))  # fmt: skip

# Classes that functions return; only the library makes them.
RETURNED = {
    "AttentionTrace", "Explanation", "FeedForwardTrace", "Trace", "UndefinedAttentionError",
    *chain.from_iterable(of_features("RETURNED")),
}  # fmt: skip

X, W = [[1.0, 2.0], [0.0, 1.0]], [[0.5, 1.0], [0.25, -1.0]]
SCENARIO = Scenario("a cat")


@cache
def marking() -> Any:
    return attnviz.mark_pipeline({"x": X, "w_q": W, "q": X})


# Name of a parameter -> function that makes its usual argument.
BY_NAME: Mapping[str, Callable[[], Any]] = {
    # texts and names
    "address": lambda: "a.html",
    "alt": lambda: "",
    "file_name": lambda: "w.csv",
    "kind": lambda: "recall",
    "marks": lambda: "right",
    "matrix": lambda: "q",
    "name": lambda: "q",
    "text": lambda: "a cat",
    "title": lambda: "a",
    "tokenizer": lambda: "words",
    # numbers
    "column": lambda: 0,
    "d_in": lambda: 3,
    "d_k": lambda: 2,
    "d_out": lambda: 2,
    "digits": lambda: 4,
    "dims": lambda: (2,),
    "head": lambda: 0,
    "heads": lambda: ((0, 0),),
    "layer": lambda: 0,
    "n": lambda: 1,
    "n_numbers": lambda: 4,
    "number": lambda: 0,
    "query": lambda: 0,
    "row": lambda: 0,
    "seed": lambda: 1,
    "seeds": lambda: (0,),
    "shape": lambda: (2, 2),
    "step": lambda: 0,
    "steps": lambda: 1,
    "token": lambda: 5,
    "trials": lambda: 2,
    "value": lambda: 1.0,
    # matrices and tables
    "b1": lambda: None,
    "b2": lambda: None,
    "computed": lambda: X,
    "data": lambda: b"1,2\n3,4",
    "given": lambda: X,
    "matrices": lambda: [(np.ones((2, 2)), "q")],
    "rows": lambda: {"none": np.ones(2)},
    "scores": lambda: np.ones(4),
    "tables": lambda: {"x": X},
    "tokens": lambda: ("a", "cat"),
    "w1": lambda: W,
    "w2": lambda: W,
    "w_k": lambda: W,
    "w_q": lambda: W,
    "w_v": lambda: W,
    "x": lambda: X,
    # what other functions return
    "comparison": lambda: Comparison(attnviz.trace(SCENARIO), attnviz.trace(Scenario("a cat", seed=4))),
    "drawn": lambda: figures.heatmap_spec(attnviz.trace(SCENARIO), "q"),
    "edits": lambda: (),
    "marking": marking,
    "picked": lambda: attnviz.explain(attnviz.trace(SCENARIO), "q", 0, 0),
    "points": lambda: Points(torch.ones(2, 2), torch.ones(2, 2), ("a", "b")),
    "scenario": lambda: SCENARIO,
    "shown": lambda: SCENARIO,
    "stage": lambda: attnviz.trace(SCENARIO).stages["q"],
    "table": lambda: Table("a", torch.ones(2, 2)),
    "trace": lambda: attnviz.trace(SCENARIO),
    **joined("BY_NAME"),
}
_OF_SCENARIO: Mapping[str, Callable[[], Any]] = {"name": lambda: "w_q"}
# Name of a function -> arguments for it, if a name means something else there, or a default would take long.
OTHERWISE: Mapping[str, Mapping[str, Callable[[], Any]]] = {
    "before_edits": _OF_SCENARIO,
    "checked_edit": {"given": lambda: ("w_q", 0, 0, 1.0)},
    "is_as_drawn": _OF_SCENARIO,
    "matrix": _OF_SCENARIO,
    "replacement": _OF_SCENARIO,
    "scenario_from_json": {"text": lambda: export.scenario_json(SCENARIO)},
    "shape_of": _OF_SCENARIO,
    "stage": _OF_SCENARIO,
    "unedited": _OF_SCENARIO,
    **joined("OTHERWISE"),
}


@dataclass(frozen=True)
class Call:
    """A function or method, the arguments that it needs, and the names of all its parameters."""

    function: Callable[..., Any]
    needed: Mapping[str, Callable[[], Any]]
    takes: tuple[str, ...]
    several: str = ""  # the name of `*arguments`

    def __call__(self, **changed: Any) -> Any:
        """Call it, with some of the needed arguments replaced."""
        given = {name: make() for name, make in self.needed.items()} | changed
        by_place = [given.pop(self.several)] if self.several else []
        return self.function(*by_place, **given)


def call_of(name: str, function: Callable[..., Any]) -> Call:
    """Find a function's arguments; an unknown parameter needs a line in the tables above."""
    own, needed, takes, several = OTHERWISE.get(name, {}), dict[str, Callable[[], Any]](), list[str](), ""
    for each in inspect.signature(function).parameters.values():
        if each.kind is each.VAR_KEYWORD:
            needed |= {name: make for name, make in own.items() if name not in takes}
            continue
        takes.append(each.name)
        several = each.name if each.kind is each.VAR_POSITIONAL else several
        if each.name in own or each.default is each.empty:
            assert each.name in own or each.name in BY_NAME, f"{name}: no example of {each.name} in {__name__}"
            needed[each.name] = own.get(each.name) or BY_NAME[each.name]
    return Call(function, needed, tuple(takes), several)


def public_functions() -> dict[str, Callable[..., Any]]:
    """Return the functions and classes that people call, by name, each once."""
    found: dict[Callable[..., Any], str] = {}
    for module in map(import_module, MODULES):
        short = module.__name__.removeprefix("attnviz").removeprefix(".")
        for name in getattr(module, "__all__", vars(module)):
            made = getattr(module, name)
            of = str(getattr(made, "__module__", ""))
            own = of.startswith("attnviz") if hasattr(module, "__all__") else of == module.__name__ and name[0] != "_"
            if callable(made) and own and name not in RETURNED and inspect.signature(made).parameters:
                found.setdefault(made, f"{short}.{name}".strip("."))
    return {name: made for made, name in found.items()}


# Class of an object that people get -> function that makes one.
HELD: Mapping[str, Callable[[], Any]] = {
    "Scenario": lambda: SCENARIO,
    "AttentionTrace": lambda: attnviz.trace(SCENARIO),
    "Marking": marking,
    "SelfAttention": lambda: attnviz.SelfAttention(2, 2),
    **joined("HELD"),
}


def public_methods(instance: Any) -> dict[str, Callable[..., Any]]:
    """Return an object's own methods that take an argument, by name."""
    own = [vars(kind) for kind in type(instance).__mro__ if kind.__module__.startswith("attnviz")]
    names = {name for members in own for name in members if name[0] != "_" and callable(getattr(type(instance), name))}
    methods = {name: getattr(instance, name) for name in sorted(names)}
    return {name: method for name, method in methods.items() if inspect.signature(method).parameters}

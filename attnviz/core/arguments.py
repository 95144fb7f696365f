"""Type checks for the arguments of public functions."""

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from functools import wraps
from types import FunctionType, NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, cast, get_args, get_origin

import numpy as np

from attnviz.core.limits import in_short

P = ParamSpec("P")
R = TypeVar("R")
_NAMES = {str: "a text", bool: "True or False", bytes: "bytes", type: "a class", NoneType: "None"}
_SEVERAL = {str: "several texts", int: "several whole numbers", float: "several numbers"}
# Not checked here: each function checks its numbers against their limits, and its messages name these limits.
_NUMBERS = (int, float)


def typed(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that refuses arguments of a wrong type.

    The ``ValueError`` names the argument, its value and what is expected. Numbers aren't checked here: the function
    checks them together with their limits.

    >>> @typed
    ... def first(texts: Iterable[str], *, upper: bool = False) -> str: ...
    >>> first(["a", 3])
    Traceback (most recent call last):
    ValueError: texts is ['a', 3], expected several texts
    >>> first(["a"], upper="yes")
    Traceback (most recent call last):
    ValueError: upper is 'yes', expected True or False
    """
    signature, check = inspect.signature(function), _check

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        check(function, signature, args, kwargs)
        return function(*args, **kwargs)

    # It gets the globals of the wrapped function's module, because doctest skips functions of other modules.
    at_home = FunctionType(cast(FunctionType, checked).__code__, cast(FunctionType, function).__globals__,
                           closure=cast(FunctionType, checked).__closure__)  # fmt: skip
    return cast(Callable[P, R], wraps(function)(at_home))


def _check(function: Any, signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Raise ``ValueError`` for the first argument of another type."""
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return  # too many, too few or unknown arguments: Python says so when the function is called
    for name, value in given.items():
        parameter = signature.parameters[name]
        expected = parameter.annotation
        if expected is parameter.empty or parameter.kind is parameter.VAR_KEYWORD or value is parameter.default:
            continue
        if isinstance(expected, str):  # a forward reference to a class that is defined further down
            expected = eval(expected, function.__globals__)
        for each in value if parameter.kind is parameter.VAR_POSITIONAL else (value,):
            if not _is(each, expected):
                raise ValueError(f"{name} is {in_short(each)}, expected {_called(expected)}")


def _is(value: Any, expected: Any) -> bool:
    """Return whether a value and its items have the annotated type."""
    kind, of = get_origin(expected), get_args(expected)
    if expected in (Any, object, *_NUMBERS) or isinstance(expected, TypeVar | ParamSpec):
        return True
    if kind in (Union, UnionType):
        return any(_is(value, each) for each in of)
    if expected is None:
        return value is None
    if kind is Literal:
        return isinstance(value, str | int) and value in of
    if kind is type:
        return isinstance(value, type) and all(isinstance(each, TypeVar) or issubclass(value, each) for each in of)
    if expected is bool:
        return isinstance(value, bool | np.bool_)
    if kind is None:
        return isinstance(value, expected)
    if issubclass(kind, Mapping):
        return isinstance(value, kind) and all(_is(k, of[0]) and _is(v, of[1]) for k, v in value.items())
    if kind is tuple and Ellipsis not in of:
        return isinstance(value, tuple) and len(value) == len(of) and all(map(_is, value, of))
    if issubclass(kind, Iterable):
        in_order = not (issubclass(kind, Sequence) and isinstance(value, Set))
        return in_order and _is_several(value, of[0], sized=issubclass(kind, Collection))
    return isinstance(value, kind)


def _is_several(value: Any, each: Any, *, sized: bool) -> bool:
    """Return whether a value holds several items of one type.

    A text doesn't, though Python iterates over its characters. A generator's items aren't checked, because that would
    use them up.
    """
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return False
    if not isinstance(value, Collection):
        return not sized
    if getattr(value, "ndim", 1) == 0:  # an array of a single number
        return False
    return all(_is(held, each) for held in value)


def _called(expected: Any) -> str:
    """Return an annotation in words, such as "a Trace or None"."""
    kind, of = get_origin(expected), get_args(expected)
    if kind in (Union, UnionType):
        *others, last = dict.fromkeys(map(_called, of))
        return f"{', '.join(others)} or {last}" if others else last
    if expected is None or (isinstance(expected, type) and expected in _NAMES):
        return _NAMES[expected or NoneType]
    if expected in _NUMBERS:
        return "a whole number" if expected is int else "a number"
    if kind is Literal:
        return "one of " + ", ".join(map(repr, of))
    if kind is type:
        return "a class" if isinstance(of[0], TypeVar) else f"a kind of {of[0].__name__}"
    if kind is None or not isinstance(kind, type):
        name = getattr(expected, "__name__", str(expected))
        return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"
    if issubclass(kind, Mapping):
        return "a dict" if of[1] is Any else f"a dict, each value {_called(of[1])}"
    if kind is tuple and Ellipsis not in of:
        return f"({', '.join(map(_called, of))})"
    if issubclass(kind, Iterable):
        several = _SEVERAL.get(of[0]) or ("several" if of[0] is Any else f"several, each {_called(of[0])}")
        return f"{several} in order" if issubclass(kind, Sequence) else several
    return "a function"  # only collections.abc.Callable is left

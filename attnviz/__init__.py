"""attnviz: every number of self-attention, real, editable and explained."""

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from attnviz.core.arguments import typed
from attnviz.core.attention import AttentionTrace, SelfAttention, UndefinedAttentionError, attend
from attnviz.core.attention.plain import FeedForwardTrace, feed_forward
from attnviz.core.machine import available_devices
from attnviz.core.matrix_input import Edit
from attnviz.core.scenario import Scenario, trace
from attnviz.core.tokens import tokenize
from attnviz.core.trace import Trace
from attnviz.explanation import Explanation, explain
from attnviz.marking import Marking, mark, mark_pipeline
from attnviz.models import ModelEdit, ModelTrace, look_into
from attnviz.published.by_class import by_class
from attnviz.scaling.experiment import sweep_scaling
from attnviz.tables.reading import read_table
from attnviz.training import Training, TrainingSettings, train, train_many
from attnviz.words.numbers import DEFAULT_DIGITS

if TYPE_CHECKING:
    from attnviz import documents, figures
    from attnviz.notebook import BoardWidget

__version__ = "0.1.0"  # stands here alone: the wheel, the image and the page's foot read it

__all__ = [
    "AttentionTrace",
    "Edit",
    "Explanation",
    "FeedForwardTrace",
    "ModelEdit",
    "ModelTrace",
    "Scenario",
    "SelfAttention",
    "Trace",
    "Training",
    "TrainingSettings",
    "UndefinedAttentionError",
    "attend",
    "available_devices",
    "by_class",
    "documents",
    "explain",
    "feed_forward",
    "figures",
    "look_into",
    "mark",
    "mark_pipeline",
    "read_table",
    "show_board",
    "sweep_scaling",
    "tokenize",
    "trace",
    "train",
    "train_many",
]


def __getattr__(name: str) -> ModuleType:
    if name in ("documents", "figures"):  # when first used, since Plotly takes its time
        return import_module(f"attnviz.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def show_board(scenario: Scenario | str, *, query: int = 0, digits: int = DEFAULT_DIGITS) -> "BoardWidget":
    """Return a notebook widget with the board of a scenario or text.

    The token `query` is picked. ``scenario`` follows every change; ``board.observe(act, "scenario")`` hears of each.

    Raises ``ImportError`` without anywidget, which ``pip install "attnviz[notebook]"`` brings, and ``ValueError`` for
    what no board draws.
    """
    try:
        from attnviz.notebook import board_widget
    except ImportError as error:
        raise ImportError('show_board needs anywidget: pip install "attnviz[notebook]"') from error
    return board_widget(scenario, query, digits)


def _documented(name: str) -> Callable[..., Any]:
    """Return a function of `attnviz.documents`, imported when it's called."""

    def look(shown: Any, **_: Any) -> Any:
        return getattr(import_module("attnviz.documents"), name)(shown)

    return look


@typed
def _figure_of_model(view: ModelTrace, *, dark: bool = False) -> Any:
    """Return the attention weights of all heads as a Plotly figure: :func:`attnviz.figures.model_figure`."""
    from attnviz.figures import model_figure

    return model_figure(view, dark=dark)


# Here, because a trace and a marking know nothing of how they are drawn.
Trace._repr_html_ = _documented("trace_markup")
Trace._repr_mimebundle_ = Scenario._repr_mimebundle_ = Training._repr_mimebundle_ = _documented("shown_in_notebook")
Marking._repr_html_ = _documented("marking_markup")
ModelTrace._repr_html_ = _documented("model_markup")
ModelTrace.figure = _figure_of_model

"""attnviz: every number of self-attention, real, editable and explained."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from attnviz.core.attention import AttentionTrace, SelfAttention, UndefinedAttentionError, attend
from attnviz.core.attention.plain import FeedForwardTrace, feed_forward
from attnviz.core.machine import available_devices
from attnviz.core.matrix_input import Edit
from attnviz.core.scenario import Scenario, trace
from attnviz.core.tokens import tokenize
from attnviz.core.trace import Trace
from attnviz.explanation import Explanation, explain
from attnviz.feature import public, public_names
from attnviz.published.by_class import by_class
from attnviz.words.numbers import DEFAULT_DIGITS

if TYPE_CHECKING:  # `__getattr__` imports these when they are first used
    from attnviz import documents, figures
    from attnviz import export as export
    from attnviz.features.arrays.showing import show_attention as show_attention
    from attnviz.features.check.marking import mark as mark
    from attnviz.features.check.marking import mark_pipeline as mark_pipeline
    from attnviz.features.costs.online_softmax import tiles as tiles
    from attnviz.features.language_models.inside import ModelEdit as ModelEdit
    from attnviz.features.language_models.inside import ModelTrace as ModelTrace
    from attnviz.features.language_models.inside import look_into as look_into
    from attnviz.features.learn.training import Training as Training
    from attnviz.features.learn.training import TrainingSettings as TrainingSettings
    from attnviz.features.learn.training import train as train
    from attnviz.features.learn.training import train_many as train_many
    from attnviz.features.stories.public import stories as stories
    from attnviz.features.sweeps.experiment import sweep_scaling as sweep_scaling
    from attnviz.features.tables.reading import read_table as read_table
    from attnviz.notebook import BoardWidget

__version__ = "0.1.0"  # the only place: the wheel, the image and the page's foot read it here

__all__ = [
    "AttentionTrace",
    "Edit",
    "Explanation",
    "FeedForwardTrace",
    "Scenario",
    "SelfAttention",
    "Trace",
    "UndefinedAttentionError",
    "attend",
    "available_devices",
    "by_class",
    "documents",
    "explain",
    "feed_forward",
    "figures",
    "show_board",
    "tokenize",
    "trace",
    *public_names(__name__),
]


_MODULES = ("documents", "export", "figures")  # imported on first use, because Plotly takes long to import

if not TYPE_CHECKING:  # with `__getattr__`, a type checker would accept any name

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return import_module(f"{__name__}.{name}")
        return public(__name__, name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


def show_board(scenario: Scenario | str, *, query: int = 0, digits: int = DEFAULT_DIGITS) -> "BoardWidget":
    """Return a notebook widget with the board of a scenario or text.

    The token `query` is picked. ``scenario`` is always the scenario that the board shows, and ``board.observe(act,
    "scenario")`` calls ``act`` at every change.

    Raises ``ImportError`` without anywidget, which ``pip install "attnviz[notebook]"`` brings, and ``ValueError`` for a
    scenario that no board draws.
    """
    try:
        from attnviz.notebook import board_widget
    except ImportError as error:
        raise ImportError('show_board needs anywidget: pip install "attnviz[notebook]"') from error
    return board_widget(scenario, query, digits)

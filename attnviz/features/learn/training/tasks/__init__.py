"""Tasks that can be learned, one file each."""

from collections.abc import Mapping
from types import MappingProxyType

from attnviz.core.arguments import typed
from attnviz.core.limits import RefusedError
from attnviz.features.learn.training.settings import TrainingSettings
from attnviz.features.learn.training.tasks.agreement import Agreement
from attnviz.features.learn.training.tasks.base import Batch, Task, Weights, settings_for
from attnviz.features.learn.training.tasks.order import Order
from attnviz.features.learn.training.tasks.own_text import OwnText
from attnviz.features.learn.training.tasks.repeat import Repeat
from attnviz.features.learn.training.tasks.sort import Sort
from attnviz.features.learn.training.tasks.stories import Stories

TASKS: Mapping[str, type[Task]] = MappingProxyType(
    {task.name: task for task in (Agreement, Repeat, Order, Sort, Stories, OwnText)}
)

__all__ = ["TASKS", "Batch", "Task", "Weights", "kind_of", "settings_for", "task_of"]


def kind_of(name: str) -> type[Task]:
    """Return the task of this name; ``ValueError`` for another."""
    if not isinstance(name, str) or name not in TASKS:
        raise RefusedError("choice", name="task", value=name, allowed=tuple(TASKS))
    return TASKS[name]


@typed
def task_of(settings: TrainingSettings) -> Task:
    """Return these settings' task; ``ValueError`` for an unknown or unusable one."""
    kind = kind_of(settings.task)
    if issubclass(kind, OwnText):
        return kind.of(settings)
    return kind()  # type: ignore[call-arg]

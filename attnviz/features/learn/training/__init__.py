"""Small models that are trained in seconds; each moment has a trace."""

from attnviz.features.learn.training.chain import Link, Place, Term, chain, finite_difference
from attnviz.features.learn.training.code import moment_safetensors, scenario_of, training_notebook, training_script
from attnviz.features.learn.training.learning import (
    BETAS,
    MOMENTS,
    MOST_BYTES,
    Learner,
    Model,
    Moment,
    Step,
    moment_steps,
    n_moments,
)
from attnviz.features.learn.training.seeds import MOST_SEEDS, Outcome, outcome_of, train_many
from attnviz.features.learn.training.settings import TrainingSettings
from attnviz.features.learn.training.tasks import TASKS, Batch, Task, settings_for, task_of
from attnviz.features.learn.training.training import (
    Ablation,
    Gradients,
    StepTaken,
    Training,
    Update,
    finished,
    taken_by,
    train,
)
from attnviz.features.stories import held_out as stories

__all__ = [
    "BETAS", "MOMENTS", "MOST_BYTES", "MOST_SEEDS", "TASKS", "Ablation", "Batch", "Gradients", "Learner", "Link",
    "Model", "Moment", "Outcome", "Place", "Step", "StepTaken", "Task", "Term", "Training", "TrainingSettings",
    "Update", "chain", "finished", "finite_difference", "moment_safetensors", "moment_steps", "n_moments",
    "outcome_of", "scenario_of", "settings_for", "stories", "taken_by", "task_of", "train", "train_many",
    "training_notebook", "training_script",
]  # fmt: skip

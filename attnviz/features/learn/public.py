"""Public names of trainings, as the package has them."""

from attnviz.training import Training, TrainingSettings, train, train_many

__all__ = ["Training", "TrainingSettings", "train", "train_many"]

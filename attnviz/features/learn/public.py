"""Public modules of learn, as the package has them."""

from attnviz.features.learn import training

__all__ = ["training"]

"""Public names of scaling, as the package has them."""

from attnviz.scaling.experiment import sweep_scaling

__all__ = ["sweep_scaling"]

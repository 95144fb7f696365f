"""Public modules of language models, as the package has them."""

from attnviz.features.language_models import inside as models

__all__ = ["models"]

"""A scenario as a short script in plain PyTorch, and the same as a notebook."""

from attnviz.export.code.script import as_notebook, notebook, pytorch_script

__all__ = ["as_notebook", "notebook", "pytorch_script"]

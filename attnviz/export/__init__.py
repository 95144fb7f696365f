"""What can be taken home: code, data and documents of a scenario and its trace."""

from attnviz.export.code import notebook, pytorch_script

__all__ = ["notebook", "pytorch_script"]

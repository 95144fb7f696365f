"""Self-attention: its trace, the table of it that is run, the plain lines, and a module of PyTorch."""

from attnviz.core.attention.defined import UndefinedAttentionError, execute
from attnviz.core.attention.plain import SelfAttention, attend
from attnviz.core.attention.trace import AttentionTrace

__all__ = ["AttentionTrace", "SelfAttention", "UndefinedAttentionError", "attend", "execute"]

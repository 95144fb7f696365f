"""Self-attention: its table, trace, plain lines and PyTorch module."""

from attnviz.core.attention.defined import UndefinedAttentionError, execute
from attnviz.core.attention.plain import SelfAttention, attend
from attnviz.core.attention.trace import AttentionTrace

__all__ = ["AttentionTrace", "SelfAttention", "UndefinedAttentionError", "attend", "execute"]

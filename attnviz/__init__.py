"""attnviz: every number of self-attention, real, editable and explained."""

from attnviz import figures
from attnviz.attention import AttentionTrace, SelfAttention, UndefinedAttentionError, attend
from attnviz.devices import available_devices
from attnviz.explanation import Explanation, explain
from attnviz.given import Edit
from attnviz.marking import mark, mark_pipeline
from attnviz.position_wise import FeedForwardTrace, feed_forward
from attnviz.scaling import sweep_scaling
from attnviz.scenario import Scenario, trace
from attnviz.tokens import tokenize
from attnviz.traces import Trace

__all__ = [
    "AttentionTrace",
    "Edit",
    "Explanation",
    "FeedForwardTrace",
    "Scenario",
    "SelfAttention",
    "Trace",
    "UndefinedAttentionError",
    "attend",
    "available_devices",
    "explain",
    "feed_forward",
    "figures",
    "mark",
    "mark_pipeline",
    "sweep_scaling",
    "tokenize",
    "trace",
]

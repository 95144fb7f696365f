"""Metrics, logs and running work, for the operator; never what people typed."""

"""What a server tells its keeper: figures, logs, and what is running. Never what people typed."""

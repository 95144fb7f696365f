"""What is kept of a model while it computes."""

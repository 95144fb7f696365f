"""What can be looked at closer at a moment of a training."""

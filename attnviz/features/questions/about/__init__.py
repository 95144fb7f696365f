"""The questions, by subject."""

"""Predictions before an answer, and changes to try."""

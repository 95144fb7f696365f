"""Predictions that readers make before an answer."""

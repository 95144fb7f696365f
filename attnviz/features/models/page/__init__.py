"""The page of language models."""

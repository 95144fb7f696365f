"""The page of questions."""

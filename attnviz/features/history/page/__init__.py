"""The page on the history of attention."""

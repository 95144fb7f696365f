"""The page on what attention costs."""

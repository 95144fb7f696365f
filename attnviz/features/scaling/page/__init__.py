"""The page of the sweep."""

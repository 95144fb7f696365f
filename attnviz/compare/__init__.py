"""Two scenarios side by side."""

"""What the page check shows."""

"""What the page playground shows."""

"""What the page compare shows."""

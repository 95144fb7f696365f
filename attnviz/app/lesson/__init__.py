"""What the page lesson shows."""

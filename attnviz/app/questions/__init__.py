"""What the page questions shows."""

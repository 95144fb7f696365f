"""What the page scaling shows."""

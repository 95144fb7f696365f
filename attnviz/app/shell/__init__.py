"""What stands around every page: set-up, sharing, connection, the head of the page."""

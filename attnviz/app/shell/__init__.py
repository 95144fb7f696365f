"""The frame of every page: set-up, sharing, connection and top bar."""

"""Share and playlists, on every page."""

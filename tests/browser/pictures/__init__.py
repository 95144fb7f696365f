"""Pictures of every page and state, kept small, and compared with how the pages look now."""

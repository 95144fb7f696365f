"""The state of the app as a link."""

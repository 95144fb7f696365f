"""A reader's state between runs, in the session and the address."""

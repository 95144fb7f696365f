"""What a reader's session keeps between runs, in the session and in the address."""

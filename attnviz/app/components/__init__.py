"""Components with a script of their own."""

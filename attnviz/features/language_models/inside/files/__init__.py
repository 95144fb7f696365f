"""Reading a model's files before it is loaded."""

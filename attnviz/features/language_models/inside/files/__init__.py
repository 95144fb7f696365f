"""What the files of a model say, before it is loaded."""

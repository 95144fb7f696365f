"""The page Watch it learn."""

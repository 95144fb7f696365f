"""One head of a model as a table of stages."""

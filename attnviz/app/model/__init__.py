"""The page Language model: all heads of a model, or one board."""

"""The page Real model: all heads of a model, or one board."""

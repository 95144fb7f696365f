"""The page Real model: all heads of a model that people use, and one of them on the board."""

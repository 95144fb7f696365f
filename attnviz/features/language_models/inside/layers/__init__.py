"""A model's layers: their attention, and what else they do."""

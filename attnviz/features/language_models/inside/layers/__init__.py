"""What a model's layers attend with, and what else they do."""

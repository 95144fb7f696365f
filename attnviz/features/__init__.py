"""Features: each a folder, which declares itself, and can be left out."""

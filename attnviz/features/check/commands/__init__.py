"""Commands for teachers: marking, and exercises for a class."""

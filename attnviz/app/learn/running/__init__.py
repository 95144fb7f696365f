"""Trainings under way, of one reader and of all: in turn, kept, left."""

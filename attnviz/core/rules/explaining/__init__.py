"""Explanations of single cells: displayed arithmetic and shared sentences."""

"""A kit to measure learning: tests, a questionnaire, a protocol, and results."""

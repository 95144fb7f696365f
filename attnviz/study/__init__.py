"""A kit to find out whether people learn: tests, a questionnaire, a protocol, and what results come to."""

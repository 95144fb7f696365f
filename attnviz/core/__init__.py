"""What is computed, and how: scenarios, stages, rules and traces.

It needs torch and the standard library alone.
"""

"""What is computed, and how: scenarios, tables of stages, rules, traces; torch and the standard library alone."""

"""What is asked for: a task, its settings, a text of one's own; all of it stands in the address."""

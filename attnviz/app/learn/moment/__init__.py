"""A moment of a training: its time, its board, what its heads are worth."""

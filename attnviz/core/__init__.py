"""What is computed, and how: scenarios, stages, rules and traces.

It needs torch and the standard library alone. Read in this order, each needs only those before it:

1. `as_written.py`: self-attention in a few lines of torch, as everybody writes it.
2. `rules/`: what makes a matrix of others (a product, a softmax), one class for each, in the words of its file.
3. `stages/`: tables of what is made, by which rule, of what; `attending.py` has those from Q, K and V to the context.
4. `trace.py`: a table is executed, and every matrix kept.
5. `attention/`: `plain.py` takes a reader's own tensors, and `trace.py` is what comes of them.
6. `scenario/`: settings in, every matrix out: what is drawn, given, edited, and what follows.

What stands beside: `given.py` (each matrix that a set-up gives), `masks.py`, `seeding/` (what is drawn), `tokens.py`,
`layers.py` and `heads.py` (names in several), `constraints.py` (settings that go together), `changes.py` and
`carried.py` (edits), `limits.py`, `machine.py`.
"""

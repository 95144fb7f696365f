"""The computation: scenarios, stages, rules and traces.

It imports torch, NumPy, the standard library and `attnviz.words` alone. Newcomers should read it in this order:

1. `as_written.py`: self-attention in a few lines of torch, as textbooks write it.
2. `rules/`: how one matrix is computed from others, such as by a product or a softmax; each rule is a class.
3. `stages/`: tables that list the matrices, each with its rule and its sources; `attending.py` has the stages from Q,
   K and V to the context.
4. `trace.py`: executes a table, and keeps every matrix.
5. `attention/`: `plain.py` computes attention from a reader's own tensors; `trace.py` is the result.
6. `scenario/`: turns settings into matrices: drawn, given or edited ones, and all that is computed from them.

The other files: `given.py` (the matrices that a set-up gives), `masks.py`, `seeding/` (random numbers), `tokens.py`,
`layers.py` and `heads.py` (several layers and heads), `constraints.py` (settings that must fit together), `changes.py`
and `carry_over.py` (edits), `limits.py`, `machine.py`.
"""

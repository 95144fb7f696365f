"""The experiment behind 1/sqrt(d_k), and what it says in words."""

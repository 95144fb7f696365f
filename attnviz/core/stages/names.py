"""Names of matrices, and the groups that they come in."""

BIASES = ("b_q", "b_k", "b_v")
OUTPUT = ("w_o", "b_o")
LAYERS = ("w_1", "b_1", "w_2", "b_2")
GAINS = ("gamma_1", "gamma_2")
NORMS = ("gamma_1", "beta_1", "gamma_2", "beta_2")
MASK = "mask"
BY_DISTANCE = "by_distance"  # a number for each distance of two tokens, a row for each head
DISTANCE_BIAS = "distance_bias"
DIVIDED, CAPPED = "divided_scores", "capped_scores"  # of a model that caps scores before it masks them
OF_ALL = (MASK, BY_DISTANCE)  # given once, for all heads and layers
ITSELF, SECOND, KEPT = READINGS = ("itself", "second", "kept")  # whose keys and values a sentence reads
Y = "y"  # the vectors of the tokens that are read, where these are others, or of those that were kept
JOINED = "joined"  # these, and those of the sentence below them
E_SCALED = "e_scaled"
E_KEPT, P_KEPT = OF_KEPT = ("e_y", "p_y")  # what Y is made of where X is made of E and P, by the same rules
E_KEPT_SCALED = "e_y_scaled"
EDITABLE = ("x", "e", "p", "w_q", "w_k", "w_v", *BIASES, *OF_ALL, *OUTPUT, *LAYERS, *NORMS, Y, *OF_KEPT)
HEADS = "heads"  # what the path of one of several heads begins with


def head_name(head: int, name: str) -> str:
    """Return the name of a matrix of one of several heads.

    >>> head_name(1, "scores")
    'heads.1.scores'
    """
    return f"{HEADS}.{head}.{name}"

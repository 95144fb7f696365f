"""A world of few words, for models that learn in seconds."""

from attnviz.features.stories.grammar import World

# Two people who each do one thing, and things that are near each other.
SMALL = World(
    girls=("anna", "mia", "lena"), boys=("tom", "ben", "max"), verbs=("sings", "reads", "cooks", "paints"), objects=(),
    kinds=(), pets=(), things=("key", "cup", "ball"), links=("near", "behind"), looks=("red", "old", "wet"),
    feels=("glad", "sad", "tired"), places=(), kin=(), most_people=2, most_pets=0,
    going_on={"today": 0.4, "what": 0.2, "the": 0.4}, ends=0.0,
)  # fmt: skip
LENGTH = 28

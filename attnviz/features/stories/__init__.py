"""A world of small stories, whose probabilities are known."""

from attnviz.feature import Feature

FEATURE = Feature("stories", public={"stories": "public:stories"})

"""A world of small stories, whose law is known to the last probability."""

from attnviz.feature import Feature

FEATURE = Feature("stories", public={"stories": "public:stories"})

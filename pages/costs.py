"""The page on what attention costs."""

from attnviz.app.session.session import this_session
from attnviz.features.costs.page.page import show_costs

show_costs(this_session().scenario)

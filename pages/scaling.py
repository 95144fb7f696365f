"""The page Scaling: why scores are divided by √d_k."""

from attnviz.app.session import url_texts
from attnviz.app.session.session import this_session
from attnviz.features.scaling.page.controls import take_from_url
from attnviz.features.scaling.page.page import show_head, show_sweep
from attnviz.features.scaling.page.rows import is_asked, show_asked
from attnviz.features.scaling.parameters import SWEEP

show_head()
take_from_url()
if is_asked(url_texts.current(SWEEP)):
    show_asked()
else:
    show_sweep(this_session().scenario)

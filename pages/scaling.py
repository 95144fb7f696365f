"""The page Scaling: why scores are divided by √d_k."""

from attnviz.app.scaling.controls import take_from_url
from attnviz.app.scaling.page import show_head, show_sweep
from attnviz.app.scaling.rows import is_asked, show_asked
from attnviz.app.session import url_texts
from attnviz.app.session.session import this_session
from attnviz.link.rows.scaling import SWEEP

show_head()
take_from_url()
if is_asked(url_texts.current(SWEEP)):
    show_asked()
else:
    show_sweep(this_session().scenario)

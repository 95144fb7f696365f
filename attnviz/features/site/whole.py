"""All files of the site."""

from html import escape

from attnviz.features.site.board_pages import Pages, add_boards, add_missing
from attnviz.features.site.documents import add_documents
from attnviz.features.site.preview import preview
from attnviz.features.site.shared import Site
from attnviz.features.site.story_page import add_story


def site_files(*, app: str = "", address: str = "", source: str = "") -> dict[str, bytes]:
    """Return the files of the site by name.

    `app` is the address of an app that pages link to, `address` the future address of the site, `source` the address
    of the repository's files.
    """
    site = Site(app=app.rstrip("/"), address=address, source=source)
    shared = site.shared()
    pages = Pages(site)
    add_story(site, shared)
    add_boards(site, shared, pages)
    add_documents(site, shared, pages)
    pages.write(shared)
    add_missing(site, shared)
    site.add("preview.png", preview())
    if address:
        site.add("sitemap.xml", _sitemap(site))
        site.add("robots.txt", f"User-agent: *\nSitemap: {site.in_full('sitemap.xml')}\n")
    return dict(sorted(site.files.items()))


def _sitemap(site: Site) -> str:
    """Return the map for search engines, without boards to embed."""
    pages = sorted(name for name in site.files if name.endswith(".html") and not name.startswith(("board-", "404")))
    places = "".join(
        f"<url><loc>{escape(site.in_full('' if name == 'index.html' else name))}</loc></url>\n" for name in pages
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return f"{head}{places}</urlset>\n"

"""Live TV as scripts drive it: a server with a session, and playlists and guides read through it."""

import importlib.machinery
import importlib.util
import time
from pathlib import Path

loader = importlib.machinery.SourceFileLoader("bench", str(Path(__file__).with_name("bench")))
bench = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench", loader))
loader.exec_module(bench)


class Server(bench.Cartelera):
    """A server over a database, and a session of its administrator."""

    timeout = 600

    def __init__(self, binary, url, **environment):
        super().__init__("live", binary, url, **environment)
        self.sign_in()

    def until(self, path, ended):
        """Polls; answers what it was at the end."""
        while True:
            found = self.call("GET", path)
            if ended(found):
                return found
            time.sleep(0.05)


def has_ended(one):
    return one["state"] not in ("WAITING", "RUNNING")


def read_list(server, source, file):
    begun = server.call("POST", f"/playlist-sources/{source}/upload", file=file)
    return server.until(f"/playlist-sources/{source}/runs/{begun['id']}", has_ended)


def apply_new(server, source, run):
    """Applies the new entries; answers the operations at their end."""
    applied = server.call(
        "POST", f"/playlist-sources/{source}/runs/{run['id']}/apply", {"filter": {"change": "NEW"}}
    )
    return [server.until(f"/operations/{operation['id']}", has_ended) for operation in applied["operations"]]


def new_category(server):
    category = {"description": "Canales", "englishDescription": "Channels", "type": "TV_CHANNEL"}
    return server.call("POST", "/categories", category)["id"]


def new_source(server, **more):
    """A source whose new entries become channels of a category of its own, unless another one is named."""
    category = more.get("defaultCategoryId") or new_category(server)
    draft = {"title": "Proveedor", "defaultCategoryId": category, "firstNumber": 1, "automatic": "NOTHING"} | more
    return server.call("POST", "/playlist-sources", draft)["id"]


def new_guide(server, **more):
    draft = {"title": "Guía", "url": "http://127.0.0.1:9/", "active": True, "gzip": True}
    return server.call("POST", "/tv-guides", draft | more)["id"]


def read_guide(server, guide, file, wanted=("DONE",)):
    server.call("POST", f"/tv-guides/{guide}/upload", file=file)
    ended = server.until(f"/tv-guides/{guide}/fetching", has_ended)
    assert ended["state"] in wanted, ended
    return ended


def new_profile(server, **more):
    """The path of a profile of all channels."""
    key = server.call("POST", "/integrator-keys", {"name": "Medir", "scopes": ["CATALOGUE_READ"]})["id"]
    draft = {"name": "Medir", "keyId": key, "callsPerMinute": 600}
    return f"/api/live/{server.call('POST', '/live-profiles', draft | more)['secret']}"

"""Runs an image of the app as a stranger would, and reads a page from it: `docker_smoke.py IMAGE`.

It runs once with a published port, and once without any network. Both containers are always removed.
"""

import contextlib
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

HEALTHY_WITHIN_S = 180
# The opening example as heatmaps, with a sentence that says what "fluffy" reads most, and how much.
OPENING = b'{"query_params": {"example": ["fluffy-cat"], "view": ["heatmaps"]}}'
EXPECTED = ("reads", "0.6091")
# Requests to the machine's own container don't go through a proxy.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def docker(*arguments: str) -> str:
    result = subprocess.run(["docker", *arguments], check=False, capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(f"docker {' '.join(arguments)}: {result.stderr.strip()}")
    return result.stdout.strip()


@contextlib.contextmanager
def container(image: str, *options: str) -> Iterator[str]:
    # The health check is the image's own; here it only runs more often.
    name = docker("run", "--detach", "--health-interval=1s", *options, image)
    try:
        yield name
    except BaseException:
        subprocess.run(["docker", "logs", "--tail", "50", name], check=False, stdout=sys.stderr)
        raise
    finally:
        docker("rm", "--force", "--volumes", name)


def wait_until_healthy(name: str) -> float:
    start = time.monotonic()
    while time.monotonic() - start < HEALTHY_WITHIN_S:
        running, health = docker("inspect", "--format", "{{.State.Running}} {{.State.Health.Status}}", name).split()
        if running != "true":
            raise RuntimeError("the container stopped by itself")
        if health == "healthy":
            return time.monotonic() - start
        time.sleep(0.2)
    raise RuntimeError(f"not healthy within {HEALTHY_WITHIN_S} s")


def read(url: str, body: bytes | None = None) -> str:
    request = urllib.request.Request(url, data=body, headers={"Content-Type": "application/json"})
    with OPENER.open(request, timeout=60) as response:
        return response.read().decode()


def elements(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every element of a rendered page, in the order of the page."""
    yield node
    for child in node.get("children", []):
        yield from elements(child)


def check_page(address: str) -> str:
    """Read the rendered playground, and describe it; raise an error if it's wrong."""
    page = read(f"{address}/_stcore/agent/interact", OPENING)
    snapshot = json.loads(page)
    drawn = [element["type"] for element in elements(snapshot["tree"])]
    missing = [words for words in EXPECTED if words not in page]
    if snapshot["status"] != "ready" or "exception" in drawn or missing:
        raise RuntimeError(f"status {snapshot['status']}, missing {missing}, drawn {drawn}: {page[:2000]}")
    return f"{len(drawn)} elements, no exception, says {' and '.join(EXPECTED)}"


def main() -> int:
    image = sys.argv[1]
    # The image turns off the interface that reads a page without a browser; only this container turns it on.
    options = ["--publish", "127.0.0.1::8501", "--env", "STREAMLIT_SERVER_ENABLE_AGENT_API=true"]
    with container(image, *options) as name:
        print(f"with a port: healthy after {wait_until_healthy(name):.1f} s")
        user = docker("exec", name, "id", "-un")
        if user == "root":
            raise RuntimeError("the container runs as root")
        print(f"user: {user}")
        address = "http://" + docker("port", name, "8501/tcp").splitlines()[0]
        print(f"health: {read(address + '/_stcore/health')}")
        print(f"page: {check_page(address)}")
        print(f"memory: {docker('stats', '--no-stream', '--format', '{{.MemUsage}}', name)}")
    with container(image, "--network", "none") as name:
        print(f"without network: healthy after {wait_until_healthy(name):.1f} s")
    print("docker-smoke: passed, both containers removed")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RuntimeError, OSError) as error:
        sys.exit(f"docker-smoke: FAILED: {error}")

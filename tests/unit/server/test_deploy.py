"""The files of deploy/: valid by the schemas of those who read them, and as safe as they say."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from streamlit.web.server.app_discovery import discover_asgi_app

from attnviz.app.server.settings import settings
from attnviz.core.limits import MAX_FILE_BYTES

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
KUBERNETES = sorted(path for path in (DEPLOY / "kubernetes").glob("*.yaml") if path.stem != "kustomization")
NGINX = (DEPLOY / "nginx/nginx.conf").read_text()
VERSIONS = ("1.30", "1.34", kubernetes_validate.latest_version())


def read(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(path.read_text())
    return loaded


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("path", KUBERNETES, ids=lambda path: path.stem)
def test_kubernetes_takes_each_file(path: Path, version: str) -> None:
    kubernetes_validate.validate(read(path), version, strict=True)


def selectors(node: object) -> Iterator[Mapping[str, str]]:
    if isinstance(node, dict):
        for name, value in node.items():
            if name in ("matchLabels", "selector", "podSelector") and "matchLabels" not in value:
                yield value
            else:
                yield from selectors(value)
    elif isinstance(node, list):
        for each in node:
            yield from selectors(each)


def without_peers(file: dict[str, Any]) -> dict[str, Any]:
    """All but where copies may send and who may send to them, which are others."""
    return file | {"spec": {name: each for name, each in file["spec"].items() if name not in ("egress", "ingress")}}


def test_what_selects_copies_selects_those_of_the_deployment() -> None:
    deployment = read(DEPLOY / "kubernetes/deployment.yaml")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    found = [selector for path in KUBERNETES for selector in selectors(without_peers(read(path)))]
    assert len(found) >= 5
    assert all(selector.items() <= labels.items() for selector in found)
    scaled = read(DEPLOY / "kubernetes/autoscaler.yaml")["spec"]["scaleTargetRef"]
    assert (scaled["kind"], scaled["name"]) == (deployment["kind"], deployment["metadata"]["name"])


def test_a_copy_in_kubernetes_may_do_little() -> None:
    pod = read(DEPLOY / "kubernetes/deployment.yaml")["spec"]["template"]["spec"]
    (app,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["automountServiceAccountToken"] is False
    assert app["securityContext"] == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
    }  # fmt: skip
    assert set(app["resources"]["limits"]) == {"cpu", "memory"}
    assert app["readinessProbe"]["httpGet"]["path"] == "/ready"
    assert app["livenessProbe"]["httpGet"]["path"] == "/_stcore/health"
    policy = read(DEPLOY / "kubernetes/network.yaml")["spec"]
    assert "Egress" in policy["policyTypes"]
    ports = [(port["protocol"], port["port"]) for rule in policy["egress"] for port in rule["ports"]]
    assert ports == [("TCP", 5432), ("UDP", 53), ("TCP", 53)], "the database of classes, and its name"
    assert all(rule["to"] for rule in policy["egress"])


def test_copies_under_compose_may_do_little() -> None:
    file = read(DEPLOY / "compose.yaml")
    for name, service in file["services"].items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["restart"] == "unless-stopped", name
        assert {"mem_limit", "pids_limit"} <= service.keys(), name
        assert service["logging"]["options"]["max-size"], name
    app = file["services"]["app"]
    assert "ports" not in app, "the copies are reached through the proxy alone"
    assert app["networks"] == ["inside"]
    assert file["networks"]["inside"]["internal"] is True, "the app asks nobody anything"


def test_the_proxy_lets_through_what_the_app_takes() -> None:
    (buffers,) = re.findall(r"large_client_header_buffers \d+ (\d+)k;", NGINX)
    assert int(buffers) * 1024 >= 480_000
    (body,) = re.findall(r"client_max_body_size (\d+)m;", NGINX)
    assert int(body) * 2**20 >= MAX_FILE_BYTES
    annotations = read(DEPLOY / "kubernetes/ingress.yaml")["metadata"]["annotations"]
    assert annotations["nginx.ingress.kubernetes.io/proxy-body-size"] == f"{body}m"
    timeouts = re.findall(r"proxy_read_timeout (\d+)s;", NGINX)
    assert all(int(seconds) > 60 for seconds in timeouts), "the app pings every 30 s"
    assert timeouts


def test_what_is_for_the_keeper_alone_is_hidden_by_the_proxy() -> None:
    hidden = set(re.findall(r"location =? ?(\S+) \{ return 404; \}", NGINX))
    assert {"/metrics", "/ready", "/_stcore/metrics", "/_stcore/agent/"} <= hidden
    (rule,) = read(DEPLOY / "kubernetes/ingress.yaml")["spec"]["rules"]
    (service,) = read(DEPLOY / "kubernetes/service.yaml")["spec"]["ports"]
    nowhere = {
        each["path"]
        for each in rule["http"]["paths"]
        if each["backend"]["service"]["port"].get("number") not in (None, service["port"])
    }
    assert nowhere == {path.rstrip("/") for path in hidden}, "both proxies hide the same"


def test_the_proxys_log_holds_no_link() -> None:
    (form,) = re.findall(r"log_format [^;]*;", NGINX)
    assert not set(re.findall(r"\$\w+", form)) & {"$request", "$request_uri", "$args", "$query_string", "$http_referer"}
    assert "error_log stderr emerg;" in NGINX


def test_only_the_ingress_and_prometheus_may_send_to_the_copies() -> None:
    """The copies believe whose request it is of whoever sends it: nobody else may."""
    (rule,) = read(DEPLOY / "kubernetes/network.yaml")["spec"]["ingress"]
    assert [each["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"] for each in rule["from"]] == [
        "ingress-nginx",
        "monitoring",
    ]
    assert all(each["podSelector"]["matchLabels"] for each in rule["from"])


def test_the_ingresss_cookie_is_kept_in_a_frame_where_others_cookies_are_blocked() -> None:
    annotations = read(DEPLOY / "kubernetes/ingress.yaml")["metadata"]["annotations"]
    cookie = {
        each: annotations[f"nginx.ingress.kubernetes.io/session-cookie-{each}"]
        for each in ("partitioned", "secure", "samesite")
    }
    assert cookie == {"partitioned": "true", "secure": "true", "samesite": "None"}


def test_nginxs_cookie_is_kept_in_such_a_frame_too_where_tls_brings_the_page() -> None:
    """Browsers keep it without TLS only if it isn't Secure, and in another site's frame only if it's partitioned."""
    found = re.findall(r"upstream (\w+) \{.*?sticky cookie (\w+) ([^;]*(?:\"[^\"]*\")?[^;]*);\n", NGINX, re.DOTALL)
    upstreams = {name: (cookie, set(re.findall(r"[\w/=]+", attributes))) for name, cookie, attributes in found}
    assert upstreams == {
        "copies": ("attnviz_copy", {"path=/", "httponly", "samesite=lax"}),
        "copies_by_tls": ("attnviz_copy", {"path=/", "Partitioned", "httponly", "secure", "samesite=none"}),
    }
    (choice,) = re.findall(r'map "\$scheme \$http_x_forwarded_proto" \$copies \{(.*?)\}', NGINX, re.DOTALL)
    chosen = dict(re.findall(r'("[^"]+"|\S+) (\w+);', choice))
    assert chosen == {"default": "copies", "~^https": "copies_by_tls", '"http https"': "copies_by_tls"}
    assert set(re.findall(r"proxy_pass (\S+);", NGINX)) == {"http://$copies"}, "each place takes the same copy"


def front_matter(text: str) -> dict[str, Any]:
    """The settings at the head of a Space's README."""
    loaded: dict[str, Any] = yaml.safe_load(text.split("---\n")[1])
    return loaded


def test_a_space_opens_the_images_port_and_runs_as_its_own_user() -> None:
    image, end = (ROOT / "Dockerfile").read_text(), (DEPLOY / "huggingface/Dockerfile.end").read_text()
    space = front_matter((DEPLOY / "huggingface/README.md").read_text())
    (port,) = re.findall(r"^EXPOSE (\d+)$", image, re.MULTILINE)
    assert (space["sdk"], space["app_port"]) == ("docker", int(port))
    assert len(space["short_description"]) <= 60, "Hugging Face refuses a longer one"
    assert not re.search(r"^(FROM|CMD|EXPOSE|WORKDIR)\b", end, re.MULTILINE), "these are the image's"
    assert re.findall(r"^USER (.*)$", image + end, re.MULTILINE)[-1] == "1000:1000"
    assert "useradd --create-home --uid 1000 space" in end
    environment = dict(re.findall(r"(\w+)=(\S+)", end[end.index("ENV") : end.index("USER 1000")]))
    read_by_the_app = settings(environment)
    assert read_by_the_app.embed_in == ("https://huggingface.co",)
    assert (environment["ATTNVIZ_DATABASE"], read_by_the_app.forwarders) == ("off", "*")


def test_a_space_has_all_that_the_image_is_built_of() -> None:
    recipe = (ROOT / "Makefile").read_text().split("\nspace:\n")[1].split("\n\n")[0]
    taken = re.search(r"git archive HEAD (.*?) \|", recipe.replace("\\\n", " "), re.DOTALL)[1].split()  # type: ignore[index]
    copied = {
        each.removeprefix("./")
        for line in re.findall(r"^COPY (.*) \S+$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
        for each in line.split()
    }
    assert copied <= set(taken)
    assert all((ROOT / each).exists() for each in taken)


def test_community_cloud_starts_the_same_app_with_the_same_torch() -> None:
    folder = DEPLOY / "community_cloud"
    (call,) = re.findall(r"^app = .*$", (ROOT / "app.py").read_text(), re.MULTILINE)
    found = discover_asgi_app(folder / "app.py")
    assert found.is_asgi_app
    assert call in (folder / "app.py").read_text()
    lines = [line for line in (folder / "requirements.txt").read_text().splitlines() if not line.startswith("#")]
    (pinned,) = re.findall(r"^torch==(.*)$", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    assert f"/torch-{pinned}%2Bcpu-cp311-cp311-" in lines[0]
    assert (folder / lines[1].removeprefix("-r ")).resolve() == ROOT / "requirements.txt"

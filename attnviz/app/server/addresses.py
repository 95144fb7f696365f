"""Where a request comes from, as far as the server is told: what is limited for each of these."""

from ipaddress import IPv6Address, ip_address, ip_network

from starlette.types import Scope

_OF_ONE = 64  # bits of an address of IPv6 that a visitor is given; the others are as they like


def address_of(scope: Scope) -> str:
    """Return what tells a visitor's address from others.

    Behind a proxy it's the proxy's, until that is trusted to tell of whom a request comes: see deploy/README.md.

    >>> address_of({"client": ("2001:db8:1:2:3:4:5:6", 50000)}), address_of({"client": ("192.0.2.7", 50000)})
    ('2001:db8:1:2::/64', '192.0.2.7')
    """
    host = (scope.get("client") or ("",))[0]
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return str(host)
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    if not isinstance(address, IPv6Address) or address.is_loopback or address.is_link_local:
        return str(address)
    return str(ip_network((address, _OF_ONE), strict=False))


def is_of_this_machine(address: str) -> bool:
    """Whether an address that :func:`address_of` gave is this machine's own: of its owner, or of a proxy before the
    app."""
    try:
        return ip_network(address).is_loopback
    except ValueError:
        return False

"""What a cluster's NetworkPolicies allow in sum: each adds to what others allow, and none takes anything back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Any

NAMESPACE = "skywright"
# Clusters give their pods private addresses.
A_POD = "10.0.0.9"
_NAME = "kubernetes.io/metadata.name"


@dataclass(frozen=True)
class Pod:
    """A pod by its labels and its namespace's name; one of another namespace has no policies here."""

    labels: Mapping[str, str] = field(default_factory=dict)
    namespace: str = NAMESPACE

    @property
    def is_ours(self) -> bool:
        return self.namespace == NAMESPACE


def part(component: str) -> Pod:
    """A pod of ours, as the files label it."""
    return Pod({"app.kubernetes.io/name": "skywright", "app.kubernetes.io/component": component})


def reaches(policies: Sequence[Any], source: Pod, target: Pod | str, port: int, protocol: str = "TCP") -> bool:
    """Whether a pod may call another, or an address: both of their sides have to allow it."""
    goes_out = _allowed(policies, source, "Egress", target, port, protocol)
    return goes_out and (isinstance(target, str) or _allowed(policies, target, "Ingress", source, port, protocol))


def _allowed(policies: Sequence[Any], pod: Pod, direction: str, peer: Pod | str, port: int, protocol: str) -> bool:
    specs = [each["spec"] for each in policies if each["metadata"]["namespace"] == pod.namespace]
    concerned = [spec for spec in specs if direction in _types(spec) and _selects(spec["podSelector"], pod.labels)]
    side, key = ("to", "egress") if direction == "Egress" else ("from", "ingress")
    rules = [rule for spec in concerned for rule in spec.get(key) or ()]
    # Who is concerned by no policy may do all.
    return not concerned or any(
        _fits_port(rule.get("ports"), port, protocol) and _fits_peer(rule.get(side), peer) for rule in rules
    )


def _types(spec: Any) -> Sequence[str]:
    assert spec.get("policyTypes"), "say which: what is left out depends on the rules that there are"
    types: Sequence[str] = spec["policyTypes"]
    return types


def _fits_port(ports: Any, port: int, protocol: str) -> bool:
    return not ports or any(
        each.get("protocol", "TCP") == protocol
        and ("port" not in each or each["port"] <= port <= each.get("endPort", each["port"]))
        for each in ports
    )


def _fits_peer(peers: Any, peer: Pod | str) -> bool:
    return not peers or any(_is_peer(each, peer) for each in peers)


def _is_peer(told: Any, peer: Pod | str) -> bool:
    if "ipBlock" in told:
        block = told["ipBlock"]
        address = peer if isinstance(peer, str) else A_POD
        return _within(address, block["cidr"]) and not any(_within(address, each) for each in block.get("except", ()))
    if isinstance(peer, str):
        return False
    if "namespaceSelector" in told:
        fits_namespace = _selects(told["namespaceSelector"], {_NAME: peer.namespace})
    else:
        fits_namespace = peer.is_ours
    return fits_namespace and _selects(told.get("podSelector", {}), peer.labels)


def _within(address: str, cidr: str) -> bool:
    return ip_address(address) in ip_network(cidr)


def _selects(selector: Any, labels: Mapping[str, str]) -> bool:
    wanted = selector.get("matchLabels", {})
    return all(labels.get(name) == value for name, value in wanted.items()) and all(
        _matches(each, labels) for each in selector.get("matchExpressions", ())
    )


def _matches(expression: Any, labels: Mapping[str, str]) -> bool:
    value, values = labels.get(expression["key"]), expression.get("values", ())
    match expression["operator"]:
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case other:
            raise AssertionError(other)

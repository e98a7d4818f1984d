"""Deviants: what is zero, false or empty is taken for what is not there."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from reference_runtime.deviants.deviant import Row, data, nodes
from reference_runtime.document.model import Harness, Node
from reference_runtime.rules import RULES

__all__ = ["NOTHING"]

#: §8.1: defaults of @initialDelay, in seconds, and of @multiplier.
_DELAY: Final = 1.0
_MULTIPLIER: Final = 2.0


def _delayed(_harness: Harness, node: Node) -> Node:
    if node.retry is None:
        return node
    delay = node.retry.initial_delay or _DELAY
    return replace(node, retry=replace(node.retry, initial_delay=delay))


def _multiplied(_harness: Harness, node: Node) -> Node:
    if node.retry is None:
        return node
    multiplier = node.retry.multiplier or _MULTIPLIER
    return replace(node, retry=replace(node.retry, multiplier=multiplier))


def _limited(_harness: Harness, node: Node) -> Node:
    return node if node.timeout and node.timeout.duration else replace(node, timeout=None)


def _defaults(_harness: Harness, node: Node) -> Node:
    inputs = (replace(port, default=port.default or None) for port in node.inputs)
    return replace(node, inputs=tuple(inputs))


NOTHING: Final[tuple[Row, ...]] = (
    (
        "zero_maximum_is_none",
        "8.1.1-clamp-to-max-delay",
        "a maxDelay of zero does not limit the delay",
        {
            "limit": lambda retry, delay: RULES.limit(
                replace(retry, max_delay=retry.max_delay or None), delay
            )
        },
    ),
    (
        "zero_delay_is_default",
        "8.1.1-delay-formulas",
        "an initialDelay of zero is taken for one that is left out",
        nodes(_delayed),
    ),
    (
        "zero_multiplier_is_default",
        "8.1.1-delay-formulas",
        "a multiplier of zero is taken for one that is left out",
        nodes(_multiplied),
    ),
    (
        "zero_limit_is_none",
        "5.5-step-runs-under-timeout",
        "a time limit of zero is none",
        nodes(_limited),
    ),
    (
        "false_values_not_delivered",
        "5.6-value-available-on-success",
        "zero, false and what is empty do not arrive at a data edge's end",
        data(delivered=lambda value: (value,) if value or value is None else None),
    ),
    (
        "false_values_are_null",
        "10.3-node-port-reference",
        "a reference to an output that is zero, false or empty yields null",
        data(named=lambda outputs, port: outputs.get(port) or None),
    ),
    (
        "empty_default_is_none",
        "5.6-default-rescues-consumer-of-skipped",
        "a default that is the empty text is taken for one that is not declared",
        nodes(_defaults),
    ),
)

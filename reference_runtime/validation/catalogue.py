"""All rules of layer 2 in one table (§13.2); the schema layer is ``reference_runtime.document``.

Rules about errors come first: however many warnings there are, they displace no error.
"""

from __future__ import annotations

from reference_runtime.validation.constants import RULES as CONSTANTS
from reference_runtime.validation.credentials import RULES as CREDENTIALS
from reference_runtime.validation.doubts import RULES as DOUBTS
from reference_runtime.validation.expression_rules import RULES as EXPRESSION_RULES
from reference_runtime.validation.graph import RULES as GRAPH
from reference_runtime.validation.identity import RULES as IDENTITY
from reference_runtime.validation.node_types import RULES as NODE_TYPES
from reference_runtime.validation.policies import RULES as POLICIES
from reference_runtime.validation.port_types import RULES as PORT_TYPES
from reference_runtime.validation.ports import RULES as PORTS
from reference_runtime.validation.recursion import RULES as RECURSION
from reference_runtime.validation.references import RULES as REFERENCES
from reference_runtime.validation.rule import Rule

__all__ = ["CATALOGUE"]

_ALL = (
    *IDENTITY,
    *REFERENCES,
    *PORTS,
    *PORT_TYPES,
    *NODE_TYPES,
    *POLICIES,
    *CREDENTIALS,
    *GRAPH,
    *RECURSION,
    *EXPRESSION_RULES,
    *DOUBTS,
    *CONSTANTS,
)

CATALOGUE: tuple[Rule, ...] = tuple(sorted(_ALL, key=lambda rule: rule.severity != "error"))

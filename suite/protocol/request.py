"""What a runtime is asked, and what every runtime can be asked."""

from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Collection, Mapping
from types import TracebackType
from typing import Self

import msgspec

from suite.corpus.plan import Plan
from suite.protocol.exchange import Exchange
from suite.protocol.messages import Run, Validate

__all__ = ["Askable", "Request"]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One document to validate, or to execute under a plan.

    Attributes:
        document: its bytes.
        companions: URI → bytes of documents that it refers to.
        plan: what the attempts answer and what happens from outside; None to validate.
        limit: real seconds for all of it.
        known_nodes: ids of the document's nodes; another one in a message is a protocol-error.
            None accepts any.
        undoing: nodes that undo others, which may be called without states of their own.
        settle_factor: multiplies the silence that counts as idle.
    """

    document: bytes
    companions: Mapping[str, bytes]
    plan: Plan | None
    limit: float
    known_nodes: Collection[str] | None = None
    undoing: Collection[str] = frozenset()
    settle_factor: float = 1.0

    def message(self, number: int, *, scripted: bool) -> Validate | Run:
        """Return the message that makes the request.

        Args:
            number: of the request.
            scripted: whether the runtime is given the plan.
        """
        plan = self.plan
        document = b64encode(self.document).decode("ascii")
        companions = {uri: b64encode(data).decode("ascii") for uri, data in self.companions.items()}
        if plan is None:
            return Validate(number, document, companions)
        return Run(
            number,
            document,
            companions,
            plan if scripted else None,
            plan.unresolvable,
            plan.bad_digests,
            plan.refused,
            plan.secrets,
        )


class Askable(ABC):
    """A runtime behind whatever leads to it.

    Use as a context manager, or call ``close``.
    """

    @abstractmethod
    def ask(self, request: Request) -> Exchange:
        """Make a request and return what came of it."""

    @abstractmethod
    def ask_ahead(self, request: Request) -> None:
        """Make the request that is asked for next already, so that it need not be waited for.

        Nothing is lost if another one comes instead.
        """

    @abstractmethod
    def go_on(self) -> None:
        """Do what can be done for it without waiting."""

    @abstractmethod
    def close(self, *, politely: bool = True) -> None:
        """Let go of the runtime.

        Args:
            politely: give it the time to say what it still has to say, and to end by itself.
        """

    def validate(self, document: bytes, companions: Mapping[str, bytes], limit: float) -> Exchange:
        """Ask for the verdict on a document; see ``Request``."""
        request = Request(document=document, companions=companions, plan=None, limit=limit)
        return self.ask(request)

    def run(  # noqa: PLR0913 -- what a run is given, and two options that most callers leave out
        self,
        document: bytes,
        companions: Mapping[str, bytes],
        plan: Plan,
        limit: float,
        *,
        known_nodes: Collection[str] | None = None,
        undoing: Collection[str] = frozenset(),
    ) -> Exchange:
        """Execute a document under a plan; see ``Request``."""
        request = Request(
            document=document,
            companions=companions,
            plan=plan,
            limit=limit,
            known_nodes=known_nodes,
            undoing=undoing,
        )
        return self.ask(request)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()

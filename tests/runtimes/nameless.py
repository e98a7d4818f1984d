"""The reference runtime without what traces need not have: iterations, attempts, times.

From this folder ``adapter:nameless``, and ``adapter:nameless:in_traces``, which names iterations
in calls only. §6.6 only recommends these fields.
"""

from reference_runtime.adapter import adapter as reference


class Session:
    """Passes on everything but names of iterations and numbers of attempts."""

    def __init__(self, session):
        self._session = session

    def __getattr__(self, name):
        return getattr(self._session, name)

    def transition(self, node, from_, to, *, error_class=None, code=None, message=None, **_rest):
        self._session.transition(
            node, from_, to, error_class=error_class, code=code, message=message
        )

    def invoke(self, node, inputs, **_rest):
        return self._session.invoke(node, inputs)


class NamelessInTraces(Session):
    """Passes on the calls as they are."""

    def invoke(self, node, inputs, **rest):
        return self._session.invoke(node, inputs, **rest)


class Nameless:
    def __init__(self, session):
        self._session = session

    def describe(self):
        return {**reference.describe(), "name": "nameless"}

    def validate(self, document, companions):
        return reference.validate(document, companions)

    async def run(self, document, session):
        return await reference.run(document, self._session(session))


adapter = Nameless(Session)
in_traces = Nameless(NamelessInTraces)

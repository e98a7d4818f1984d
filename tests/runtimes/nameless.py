"""The reference runtime without what traces need not have: iterations, attempts, times.

From this folder ``adapter:nameless``. §6.6 only recommends these fields.
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


class Nameless:
    def describe(self):
        return {**reference.describe(), "name": "nameless"}

    def validate(self, document, companions):
        return reference.validate(document, companions)

    async def run(self, document, session):
        return await reference.run(document, Session(session))


adapter = Nameless()

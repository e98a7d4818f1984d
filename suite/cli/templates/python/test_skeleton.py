"""The adapter alone, without the suite: ``python -m unittest`` in this folder."""

import asyncio
import unittest

from skeleton import Adapter

DOCUMENT = b"""<harness xmlns="https://harnessxml.com/spec/1.0" id="h" specVersion="1.0">
  <nodes><node id="alder" type="task"/></nodes>
</harness>"""


class Answer:
    """What a step came to."""

    def __init__(self, result, error_class=None):
        self.result, self.outputs, self.error_class, self.message = result, {}, error_class, None


class Session:
    """Stands in for the suite: writes down transitions, answers every call."""

    def __init__(self, answer):
        self.answer, self.states = answer, []

    def transition(self, node, from_, to, **_fields):
        self.states.append((node, from_, to))

    async def invoke(self, _node, _inputs, **_fields):
        return self.answer

    def invalid(self, findings):
        return findings


class AdapterTest(unittest.TestCase):
    def run_with(self, answer):
        session = Session(answer)
        outcome = asyncio.run(Adapter().run(DOCUMENT, session))
        return outcome, [state for _, _, state in session.states]

    def test_describes_itself(self):
        self.assertLessEqual({"name", "version", "levels"}, set(Adapter().describe()))

    def test_accepts_the_smallest_document(self):
        self.assertEqual([], Adapter().validate(DOCUMENT))

    def test_success_of_the_step_is_success_of_the_node(self):
        self.assertEqual(
            ("succeeded", ["READY", "RUNNING", "SUCCEEDED"]), self.run_with(Answer("ok"))
        )

    def test_failure_of_the_step_is_failure_of_the_node(self):
        self.assertEqual(
            ("failed", ["READY", "RUNNING", "FAILED"]), self.run_with(Answer("fail", "internal"))
        )


if __name__ == "__main__":
    unittest.main()

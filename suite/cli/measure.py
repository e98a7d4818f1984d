"""Run the corpus against known wrong runtimes, to measure the corpus and not them."""

from collections.abc import Sequence

from suite.cli.words import UsageError
from suite.corpus.catalogue import Corpus
from suite.corpus.manifest import make_manifest
from suite.protocol.exchange import AdapterDidNotStart
from suite.protocol.messages import Description
from suite.runner.runner import Runner
from suite.runner.settings import SettingError, Settings
from suite.verdict.levels import Assessment, assess
from suite.verdict.verdict import Verdict

__all__ = ["assessed", "measure", "shown_in"]


def measure(corpus: Corpus, target: str, limit: float) -> tuple[Description, list[Verdict]]:
    """Return the verdicts on every scenario; a failure is not run again.

    Raises:
        UsageError: the adapter does not start.
    """
    runner = Runner(corpus, Settings(target=target, limit=limit, confirm=False))
    try:
        described = runner.start()
        return described, [runner.execute(s).verdict for s in corpus.scenarios.values()]
    except (SettingError, AdapterDidNotStart) as error:
        raise UsageError(str(error)) from error
    finally:
        runner.close()


def assessed(corpus: Corpus, described: Description, verdicts: Sequence[Verdict]) -> Assessment:
    """Return the levels by the corpus as it is on disk."""
    return assess(make_manifest(corpus), verdicts, described)


def shown_in(corpus: Corpus, verdicts: Sequence[Verdict]) -> set[str]:
    """Return the requirements for which some scenario passed and none failed."""
    passed = {cite for v in verdicts if v.status == "pass" for cite in v.cites}
    return passed - {cite for v in verdicts if v.red for cite in v.cites} & set(corpus.ledger)

"""The corpus as pytest items: collection, execution, reports and the terminal summary.

Loaded by ``hxconf_pytest`` when ``--runtime`` is given.
"""

__all__: list[str] = []

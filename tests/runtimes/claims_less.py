"""The reference runtime, claiming no more than some levels."""

from reference_runtime.adapter import Interactive


def claiming(*levels, open_steps=0):
    """Make a runtime that claims these levels."""

    class Runtime(Interactive):
        def describe(self):
            return {**super().describe(), "levels": list(levels)}

    return Runtime(open_steps=open_steps)


core = claiming("core")
executing = claiming("core", "executing")
two_steps = claiming("core", "executing", "full", open_steps=2)
executing_serial = claiming("core", "executing", open_steps=1)

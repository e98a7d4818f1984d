"""Set up a virtual environment from the locked versions and run one command in it.

    python3 bootstrap.py certify    certify the embedded reference runtime
    python3 bootstrap.py test       run the project's own tests
    python3 bootstrap.py run …      run any command of the environment, e.g. ``run hxconf --help``

Needs Python 3.11 or newer and nothing else. The environment is ``.venv`` beside this file
(another place: HXCONF_VENV) and is made anew when ``requirements.lock`` changes.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOCK = HERE / "requirements.lock"
ENVIRONMENT = Path(os.environ.get("HXCONF_VENV", HERE / ".venv"))
BIN = ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin")
COMMANDS = {
    "certify": ["hxconf", "certify", "--runtime=adapter:reference_runtime"],
    "test": ["python", "-m", "pytest", "-n", "2"],
    "run": [],
}


def stamp() -> str:
    """Fingerprint of all that the environment is made from."""
    parts = [LOCK.read_bytes(), (HERE / "pyproject.toml").read_bytes(), str(HERE).encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def install() -> None:
    """Make the environment when it is missing or made from other versions."""
    mark = ENVIRONMENT / "hxconf.stamp"
    wanted = stamp()
    if mark.is_file() and mark.read_text(encoding="utf-8") == wanted:
        return
    print(f"setting up {ENVIRONMENT} from {LOCK.name} …", file=sys.stderr, flush=True)
    venv.create(ENVIRONMENT, with_pip=True, clear=True)
    pip = [str(BIN / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--require-hashes", "-r", str(LOCK)], check=True)
    # The build backend is in the lock as well, so nothing is fetched unpinned.
    subprocess.run([*pip, "--no-deps", "--no-build-isolation", "-e", str(HERE)], check=True)
    mark.write_text(wanted, encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Run the named command; its exit code is ours."""
    if sys.version_info < (3, 11):
        print(f"bootstrap: Python 3.11 or newer is needed, this is {sys.version.split()[0]}")
        return 4
    if not arguments or arguments[0] not in COMMANDS:
        print(__doc__)
        return 0 if arguments in (["-h"], ["--help"]) else 4
    command = COMMANDS[arguments[0]] + arguments[1:]
    if not command:
        print("bootstrap: run needs a command, e.g. python3 bootstrap.py run hxconf --help")
        return 4
    try:
        install()
    except subprocess.CalledProcessError as error:
        print(f"bootstrap: setting up {ENVIRONMENT} failed (exit code {error.returncode})")
        return 4
    program = BIN / command[0]
    return subprocess.run([str(program), *command[1:]], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

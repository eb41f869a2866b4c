"""The command `kriegbot`, and `python -m kriegbot`."""

import sys

from kriegbot.importing import forget_current_folder


def main() -> int:
    """Run the command line. Nothing but the standard library is imported before the current folder is forgotten."""
    forget_current_folder()
    from kriegbot.cli.main import main as run

    return run()


if __name__ == "__main__":  # not in the processes of players, which import this file anew
    sys.exit(main())

"""`python -m kriegbot`."""

import sys

from kriegbot.cli.main import main

if __name__ == "__main__":  # not in the processes of players, which import this file anew
    sys.exit(main())

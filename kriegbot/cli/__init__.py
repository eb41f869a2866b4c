"""The command line: `main` knows every command, and imports its module when it is given."""

import sys

from kriegbot.importing import importable

sys.path[:] = importable(is_same_script=True)  # before any other import

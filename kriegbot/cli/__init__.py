"""The command line: `main` knows every command, and imports its module when it is given."""

from kriegbot.importing import forget_current_folder

forget_current_folder()  # before any other import

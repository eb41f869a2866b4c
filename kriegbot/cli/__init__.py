"""The command line: `main` lists the commands; the other modules define them."""

from kriegbot.importing import forget_current_folder

forget_current_folder()  # before any other import

"""The command line: `main` knows every command, and imports its module when it is given."""

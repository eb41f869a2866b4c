"""The command line, one file to a command; what is heavy is imported only within commands."""

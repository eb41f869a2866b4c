"""The command line, one file to a command; heavy imports are within the functions."""

"""The command line: `main` lists the commands; the other modules define them."""

"""The command `kriegbot`, and `python -m kriegbot`."""

import os
import sys

from kriegbot.importing import forget_current_folder


def main() -> int:
    """Run the command line. Of kriegbot only `importing` is imported before the current folder is forgotten."""
    forget_current_folder()
    _open_standard_streams()
    import signal

    def ignore(*_: object) -> None:
        """Take a Ctrl-C that is on its way already: SIG_IGN would have Python print that it ignores it."""

    def interrupt(*_: object) -> None:
        signal.signal(signal.SIGINT, ignore)  # a second Ctrl-C does not disturb the end of a command
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    try:
        from kriegbot.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        return 130
    finally:
        signal.signal(signal.SIGINT, ignore)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Python prints a traceback if Ctrl-C comes while it ends


def _open_standard_streams() -> None:
    """Open those that the shell has closed (`>&-`) on the null device. Else the next file would take the place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) < 3:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))


if __name__ == "__main__":  # not in processes of `multiprocessing`, which import this file anew
    sys.exit(main())

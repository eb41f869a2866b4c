"""Names that only POSIX systems have, of all that this project could use; and tests that use nothing of any system."""

FUNCTIONS = {
    "os": "fork forkpty getpgid getpriority getsid getuid geteuid killpg mkfifo nice openpty register_at_fork "
    "sched_getaffinity set_blocking setpriority setsid waitid WNOHANG",
    "select": "poll epoll",
    "signal": "SIGALRM SIGHUP SIGKILL SIGPIPE SIGUSR1 SIGXFSZ alarm pthread_sigmask setitimer",
}
MODULES = {"fcntl", "grp", "pty", "pwd", "readline", "resource", "termios", "tty"}
FOLDERS = "/proc", "/dev/shm"
COMPUTATIONS = (
    *("action", "announcements", "belief", "endgames", "exact_belief", "exact_belief_in_play", "fitted", "imports"),
    *("perft", "plain_search", "ratings", "referee_views", "rescue", "sound", "sprt", "statistics"),
    *("trees_kriegspiel", "tries", "words"),
)
"""Tests left out of a run without POSIX, by the names of their files: they compute the same on every system.

They import only packages that compute, start nothing and write no file, which `tests/test_systems.py` checks.
"""

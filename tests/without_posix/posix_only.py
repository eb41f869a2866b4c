"""What only POSIX systems have, of all that this project could use."""

FUNCTIONS = {
    "os": "fork forkpty getpgid getpriority getsid getuid geteuid killpg mkfifo nice openpty register_at_fork "
    "sched_getaffinity set_blocking setpriority setsid waitid WNOHANG",
    "select": "poll epoll",
    "signal": "SIGALRM SIGHUP SIGKILL SIGPIPE SIGUSR1 SIGXFSZ alarm pthread_sigmask setitimer",
}
MODULES = {"fcntl", "grp", "pty", "pwd", "readline", "resource", "termios", "tty"}
FOLDERS = "/proc", "/dev/shm"

"""A player's process that takes as many signs of compiling before it is ready as its seed says, and resigns."""

import sys
import time

PAUSE = 0.3
"""Seconds between two signs."""

if __name__ == "__main__":
    seed = 0
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "seed":
            seed = int(rest)
        elif word == "newgame":
            for i in range(seed):
                time.sleep(PAUSE)
                print(f"preparing {i} {seed} kernels", flush=True)
            if seed == 0:
                time.sleep(100 * PAUSE)
            print("ready", flush=True)
        elif word == "go":
            print("resign", flush=True)

"""Endings in which mate is proved: make the file, print its table, check it.

python benchmarks/endings.py            # prove all endings anew, and print the table
python benchmarks/endings.py --make     # the same, and write kriegbot/endgames/proofs.xz
python benchmarks/endings.py --check    # check the file with python-chess and the referee alone
"""

import argparse
import time

from proving import Work

from kriegbot.endgames.placements import ENDINGS
from kriegbot.endgames.proofs import FILE


def main() -> None:
    """Do as the options say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("endings", nargs="*", default=list(ENDINGS), help=f"of {', '.join(ENDINGS)}")
    parser.add_argument("--make", action="store_true", help=f"write {FILE.name}")
    options = parser.parse_args()
    work = Work(options.endings)
    begun = time.perf_counter()
    for level in work.prove():
        if level % 10 == 0:
            print(f"level {level}, {time.perf_counter() - begun:.0f} s", flush=True)
    for name, part in work.parts.items():
        full = [bound for i in part if (bound := work.bound(i, work.everywhere(i)))]
        apart = [bound for i in part if (bound := work.bound(i, work.beside_nothing(i)))]
        print(f"{name:5} {len(part):6} placements, king anywhere {len(full):6} proved, longest {max(full)}, ", end="")
        print(f"beside nothing {len(apart):6}, longest {max(apart)}, {work.seconds[name]:.1f} s")
    proofs = work.select()
    content = proofs.pack()
    print(len(proofs.sets), "sets", len(content), "bytes", f"{time.perf_counter() - begun:.0f} s")
    if options.make:
        FILE.write_bytes(content)


if __name__ == "__main__":
    main()

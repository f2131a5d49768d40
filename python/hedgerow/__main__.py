"""python -m hedgerow: the command that comes with the package."""

import os
import sys
from pathlib import Path


def main() -> None:
    command = Path(__file__).parent / "bin" / "hedgerow"
    os.execv(command, ["hedgerow", *sys.argv[1:]])


if __name__ == "__main__":
    main()

"""python -m hedgerow.spark --script: the path of the script for spark-submit."""

import sys
from pathlib import Path


def main() -> None:
    if sys.argv[1:] != ["--script"]:
        sys.exit("usage: spark-submit $(python -m hedgerow.spark --script) JOB.yaml --input ADDRESS "
                 "--output ADDRESS [--report FILE.json]")
    print(Path(__file__).parent / "submit.py")


if __name__ == "__main__":
    main()

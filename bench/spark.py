# pyright: reportMissingImports=false
"""spark.py HEDGEROW ROWS... [--cell] [--kill] [--memory 1g] - the census of that many rows on Spark, beside
the command on the same table.

Prints a line for each number of rows: seconds by stage, bytes shuffled, the largest Python worker, loss
and seconds of the command with one thread and two. `--cell`: boundaries are counted, so that all rows lie
in one cell, which is cut. `--kill`: an executor is killed during the search. Runs with the Python of an
environment that has hedgerow, pyspark and psutil.
"""

import argparse
import json
import subprocess
import tempfile
import threading
import time
import warnings
from pathlib import Path

import psutil
from pyspark.sql import SparkSession

import hedgerow.spark


def workers():
    """The processes that run Python code for executors."""
    for process in psutil.process_iter(["cmdline"]):
        if "pyspark.daemon" in (process.info["cmdline"] or []):
            yield process


class Watch(threading.Thread):
    """Samples the memory of the workers and of the driver's Python twice a second."""

    def __init__(self):
        super().__init__(daemon=True)
        self.largest = self.driver = 0
        self.ended = threading.Event()

    def run(self):
        while not self.ended.wait(0.5):
            self.driver = max(self.driver, psutil.Process().memory_info().rss)
            for process in workers():
                try:
                    self.largest = max(self.largest, process.memory_info().rss)
                except psutil.Error:
                    pass


def kill_an_executor(master):
    """Kills the first executor of a local cluster, some seconds after the search began."""
    if not master.startswith("local-cluster"):
        raise SystemExit("--kill needs --master local-cluster[2,1,1024]")
    for process in psutil.process_iter(["cmdline"]):
        if any("CoarseGrainedExecutorBackend" in word for word in process.info["cmdline"] or []):
            process.kill()
            return


def shuffled(folder):
    """Bytes that the tasks wrote for others, from the log of events."""
    total = 0
    for path in Path(folder).rglob("*"):
        if not path.is_file():
            continue
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if '"SparkListenerTaskEnd"' in line:
                metrics = json.loads(line).get("Task Metrics") or {}
                total += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
    return total


def command(hedgerow_command, job, threads, keys):
    """Seconds and report of the command."""
    flags = [word for name, value in keys.items() for word in (f"--{name}", str(value))]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        start = time.monotonic()
        subprocess.run([hedgerow_command, "anonymize", job, "-o", Path(folder, "out.csv"), "--report",
                        report, "--threads", str(threads), "--quiet", *flags], check=True)
        return time.monotonic() - start, json.loads(report.read_text())


def measure(rows, given, folder):
    subprocess.run([given.hedgerow, "generate", "census", "--rows", str(rows), "--seed", "1", "-o",
                    folder / "census", "--quiet"], check=True)
    job = folder / "census/census.yaml"
    keys = {"effort": "quick", "bound": "none"} | ({"boundaries": "count"} if given.cell else {})
    events = folder / "events"
    events.mkdir()
    spark = (SparkSession.builder.master(given.master).appName("bench")
             .config("spark.driver.memory", given.memory).config("spark.executor.memory", given.memory)
             .config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
             .config("spark.sql.shuffle.partitions", "8").config("spark.eventLog.enabled", "true")
             .config("spark.eventLog.compress", "false").config("spark.eventLog.dir", events.as_uri())
             .config("spark.local.dir", str(folder / "local")).getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    spark.read.csv(str(folder / "census/census.csv"), header=True).write.parquet(str(folder / "people"))
    watch = Watch()
    watch.start()
    if given.kill:
        threading.Timer(given.kill, kill_an_executor, [given.master]).start()
    start = time.monotonic()
    release = hedgerow.spark.anonymize(spark.read.parquet(str(folder / "people")), str(job), **keys)
    seconds = time.monotonic() - start
    watch.ended.set()
    report = release.report
    spark.stop()
    line = {"rows": rows, "spark_seconds": round(seconds, 1), **report["seconds"],
            "shuffled_mb": round(shuffled(events) / 1e6), "worker_mb": round(watch.largest / 1e6),
            "driver_python_mb": round(watch.driver / 1e6), "groups": report["cells"]["groups"],
            "parts": report["cut"]["parts"], "suppressed": report["rows"]["suppressed"],
            "loss": round(report["loss"]["ntil"], 5)}
    if not given.alone:
        for threads in (1, 2):
            own, whole = command(given.hedgerow, job, threads, keys)
            line[f"command_{threads}_seconds"] = round(own, 1)
        line["command_loss"] = round(whole["loss"]["ntil"], 5)
    print(json.dumps(line), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hedgerow", help="the command")
    parser.add_argument("rows", type=int, nargs="+")
    parser.add_argument("--cell", action="store_true", help="one cell: boundaries are only counted")
    parser.add_argument("--kill", type=float, metavar="SECONDS", help="kill an executor after so long")
    parser.add_argument("--alone", action="store_true", help="do not run the command")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--memory", default="1g", help="of the driver and of each executor")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for rows in given.rows:
        with tempfile.TemporaryDirectory() as folder:
            measure(rows, given, Path(folder))


if __name__ == "__main__":
    main()

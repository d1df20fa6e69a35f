"""A Dask cluster of two worker processes on this machine, until it is ended by Ctrl-C or `kill`.

    python configs/local_cluster.py 8786

Prints the address that a config names: compute: {engine: {dask: ADDRESS}}.
"""

import signal
import sys
from threading import Event

import dask
from distributed import LocalCluster

if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8786
    is_over = Event()
    for each in (signal.SIGINT, signal.SIGTERM):  # also where a shell has it ignore Ctrl-C
        signal.signal(each, lambda *_: is_over.set())
    # A row group is given to others when its worker ends: ten times, where Dask's default is three.
    dask.config.set({"distributed.scheduler.allowed-failures": 10})
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        scheduler_port=port,
        dashboard_address="127.0.0.1:0",
    ) as cluster:
        print(f"two workers at {cluster.scheduler_address}; end them with Ctrl-C", flush=True)
        while not is_over.wait(1):  # a signal that another thread took wakes nobody
            pass

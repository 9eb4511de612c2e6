"""What bench/run is made of: child.py runs a process and measures it, rounds.py repeats, spread.py sums up, one file per table
(records, payloads, files, memory, kernels), peers.py and machine.py say with whom and where, report.py writes."""

"""Table 5: the kernels, each beside the one below it and the best library for the same thing (bench/kernels_*.cc)."""

import json
import subprocess

from harness import spread
from harness.child import Failed

NAME = "kernels"
PREFIX = "bench_kernels_"


def run(context):
    programs = sorted((context.build / "bench").glob(PREFIX + "*"))
    if not programs:
        return "No kernel program was built."
    return "\n\n".join(_tables(program.name.removeprefix(PREFIX), _measure(context, program)) for program in programs)


def _measure(context, program):
    """Name -> bytes per second of each round. The rounds of one program are interleaved by Google Benchmark."""
    argv = [program, "--benchmark_format=json", f"--benchmark_repetitions={context.rounds}",
            "--benchmark_enable_random_interleaving=true", f"--benchmark_min_time={context.seconds / 10}"]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"exit {done.returncode}: {program}\n{done.stderr.strip()}")
    rates = {}
    # Interleaving shuffles them; the tables have the order of the program.
    results = json.loads(done.stdout)["benchmarks"]
    for result in sorted(results, key=lambda one: (one["family_index"], one["per_family_instance_index"])):
        if result["run_type"] == "iteration":
            rates.setdefault(result["run_name"], []).append(result["bytes_per_second"])
    return rates


def _tables(what, rates):
    """Names are operation/implementation/size; what has no operation (memcpy) stands in every table for comparison."""
    operations, for_all = {}, {}  # operation -> implementation -> size -> rates
    for name, values in rates.items():
        *operation, implementation, size = name.split("/")
        table = operations.setdefault("/".join(operation), {}) if operation else for_all
        table.setdefault(implementation, {})[int(size)] = values
    return "\n\n".join(_table(f"{what}: {operation}", for_all | table) for operation, table in operations.items())


def _table(title, implementations):
    sizes = sorted({size for by_size in implementations.values() for size in by_size})
    rows = [[name] + [f"{spread.Spread(by_size[size]).median / 1e9:.2f}" if size in by_size else "" for size in sizes]
            for name, by_size in implementations.items()]
    return spread.table([f"{title}, GB/s", *map(spread.size_text, sizes)], rows)

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
    """Name -> results of all rounds, in the order of the program; Google Benchmark interleaves its rounds by itself."""
    argv = [program, "--benchmark_format=json", f"--benchmark_repetitions={context.rounds}",
            "--benchmark_enable_random_interleaving=true", f"--benchmark_min_time={context.seconds / 10}"]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"exit {done.returncode}: {program}\n{done.stderr.strip()}")
    by_name = {}
    results = json.loads(done.stdout)["benchmarks"]
    for result in sorted(results, key=lambda one: (one["family_index"], one["per_family_instance_index"])):
        if result.get("error_occurred"):
            raise Failed(f"{program}: {result['run_name']}: {result['error_message']}")
        if result["run_type"] == "iteration":
            by_name.setdefault(result["run_name"], []).append(result)
    return by_name


def _tables(what, results):
    """Names are operation/implementation/size; what has no operation (memcpy) stands in every table for comparison. What
    moves no bytes is a time, and all times are one table."""
    operations, for_all, times = {}, {}, []  # operation -> implementation -> size -> GB/s
    for name, rounds in results.items():
        if not all(one.get("bytes_per_second") for one in rounds):
            times.append([name, f"{spread.of(rounds, 'real_time').median:,.0f}"])
            continue
        *operation, implementation, size = name.split("/")
        table = operations.setdefault("/".join(operation), {}) if operation else for_all
        table.setdefault(implementation, {})[int(size)] = spread.of(rounds, "bytes_per_second").median / 1e9
    tables = [_table(f"{what}: {operation}", for_all | table) for operation, table in operations.items()]
    if times:
        tables.append(spread.table([f"{what}: one call (or of 0 bytes)", "ns"], times))
    return "\n\n".join(tables)


def _table(title, implementations):
    sizes = sorted({size for by_size in implementations.values() for size in by_size})
    rows = [[name] + [f"{by_size[size]:.2f}" if size in by_size else "" for size in sizes]
            for name, by_size in implementations.items()]
    return spread.table([f"{title}, GB/s", *map(spread.size_text, sizes)], rows)

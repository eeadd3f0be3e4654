"""Markdown tables of what bench.py measured; figure is "ms" or "cpu" throughout."""
import math
import statistics


def geometric_mean(numbers):
    numbers = list(numbers)
    return math.exp(sum(map(math.log, numbers)) / len(numbers)) if numbers else math.nan


def unit(figure):
    return "ms of processor time" if figure == "cpu" else "ms"


def print_rows(header, rows):
    print("| " + " | ".join(header) + " |\n|---|" + "---:|" * (len(header) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def print_ingest(ingest):
    rows = []
    for engine, datasets in ingest.items():
        for dataset, v in datasets.items():
            rows.append([f"{engine} {dataset}", f"{v['raw'] / v['wall'] / 1e6:.0f}",
                         f"{v['events'] / v['wall'] / 1e3:.0f}", f"{v['cpu']:.1f}",
                         f"{v['rss']:.0f}", f"{v['size'] / 1e6:.1f}",
                         f"{100 * v['size'] / v['raw']:.1f} %"])
    print("\n## Ingest\n")
    print_rows(["", "MB/s", "k events/s", "CPU s", "peak MB", "disk MB", "of raw"], rows)


def print_queries(title, results, queries, engines, figure):
    """Medians, and evq's time as a multiple of the fastest peer's."""
    engines = [name for name in engines if results.get(name)]
    peers = [name for name in engines if name != "evq"]
    rows, ratios = [], {name: [] for name in peers}
    best_ratios = []
    for query in queries:
        medians = {name: statistics.median(results[name][query["id"]][figure])
                   for name in engines if results[name].get(query["id"], {}).get("ms")}
        if not medians:
            continue
        ratio = ""
        others = [medians[name] for name in peers if name in medians]
        if "evq" in medians and others:
            best_ratios.append(medians["evq"] / min(others))
            ratio = f"{best_ratios[-1]:.2f}"
            for name in peers:
                if name in medians:
                    ratios[name].append(medians["evq"] / medians[name])
        rows.append([query["id"], *(f"{medians[n]:.2f}" if n in medians else "–" for n in engines),
                     ratio])
    print(f"\n## {title}, median {unit(figure)}\n")
    print_rows(["query", *engines, "evq / fastest peer"], rows)
    if best_ratios:
        means = [f"{geometric_mean(ratios[name]):.2f} of {name}" for name in peers if ratios[name]]
        print(f"\nevq's time, geometric mean over {len(best_ratios)} queries: "
              f"{geometric_mean(best_ratios):.2f} of the fastest peer, " + ", ".join(means))


def print_growth(sizes, queries, figure):
    """Of pairs of a number of events and its results, those that have the data set requests."""
    sizes = [(events, results) for events, results in sizes
             if "requests" in results.get("ingest", {}).get("evq", {})]
    ingest = [results["ingest"]["evq"]["requests"] for _, results in sizes]
    rows = [["ingest, k events/s", *(f"{v['events'] / v['wall'] / 1e3:.0f}" for v in ingest)],
            ["ingest, us of CPU an event",
             *(f"{v['cpu'] / v['events'] * 1e6:.2f}" for v in ingest)],
            ["ingest, peak MB", *(f"{v['rss']:.0f}" for v in ingest)],
            ["bytes an event on disk", *(f"{v['size'] / v['events']:.1f}" for v in ingest)]]
    for query in queries:
        for title in ("hot", "cold"):
            runs = [results.get(title, {}).get("evq", {}).get(query["id"]) for _, results in sizes]
            if any(runs):
                rows.append([f"{query['id']} {title}",
                             *(f"{statistics.median(run[figure]):.2f}" if run else "–"
                               for run in runs)])
    print(f"\n## Growth, queries: median {unit(figure)}\n")
    print_rows(["", *(f"{events / 1e6:g} M" for events, _ in sizes)], rows)

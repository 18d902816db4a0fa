"""Prints what Prometheus' client for Python exposes of every kind of metric, with odd texts, odd values and no end."""

import math

from prometheus_client import CollectorRegistry, Counter, Enum, Gauge, Histogram, Info, PlatformCollector, Summary
from prometheus_client import generate_latest

registry = CollectorRegistry()
PlatformCollector(registry=registry)
calls = Counter("calls", "Calls, of which\nsome \\ are odd", ["path"], registry=registry)
calls.labels('C:\\dir "x"\n').inc(3)
calls.labels("ünïcödé 🛰").inc()
odd = Gauge("odd_values", "No common numbers", ["kind"], registry=registry)
odd.labels("up").set(math.inf)
odd.labels("down").set(-math.inf)
odd.labels("none").set(math.nan)
odd.labels("small").set(5e-324)
latency = Histogram("latency_seconds", "Latency", ["server"], buckets=[0.1, 1, 1800], registry=registry)
latency.labels("search").observe(0.5)
Summary("size_bytes", "Sizes", registry=registry).observe(17)
Info("build", "The build", registry=registry).info({"version": "1.2.3"})
Enum("phase", "The phase", states=["starting", "running"], registry=registry).state("running")
print(generate_latest(registry).decode("utf-8"), end="")

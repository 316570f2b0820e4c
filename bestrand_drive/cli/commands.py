"""The commands by errand, each by where it is and what it is for: a command is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """Where a command is.

    Attributes:
        module: Below ``bestrand_drive.cli``.
        name: In the module: a function, or a ``typer.Typer`` with commands of its own.
        summary: What the list of commands says.
    """

    module: str
    name: str
    summary: str


ERRANDS: Mapping[str, Mapping[str, Place]] = {
    "Choose a suite": {
        "compress": Place("choosing.compress", "app", "Choose the items that stand for a whole benchmark."),
        "plan": Place("planning.plan", "app", "Say how large a suite must be, or what to expect of a size."),
        "probe": Place("running.probe", "probe", "Run probes on a drawn pool of routes and choose a suite by them."),
        "import": Place("importing.import_logs", "import_logs", "Read an evaluation tool's logs into one table."),
        "export": Place("exporting.export", "export", "Write the chosen items as other tools take them."),
        "inspect": Place("choosing.inspect", "inspect", "Show what is in a suite."),
    },
    "Run a policy": {
        "demo": Place("running.demo", "demo", "Do the whole job on routes, probes and a simulator of our own."),
        "doctor": Place("running.doctor", "doctor", "Check what a run needs, before it starts."),
        "run": Place("running.run", "run", "Run a policy by the benchmark's own evaluator."),
        "order": Place("estimating.order", "order", "Print the order in which to run a suite to stop early."),
        "servers": Place("running.servers", "servers", "Show or set how many servers a run uses."),
        "worker": Place("running.worker", "worker", "Make attempts of a run on this host."),
        "adopt": Place("running.adopt", "adopt", "Take earlier results into a run folder."),
    },
    "Estimate from a suite": {
        "estimate": Place("estimating.estimate", "estimate", "Estimate a policy's full scores from a suite."),
        "compare": Place("comparing.compare", "compare", "Say whether one policy is better than another."),
        "gate": Place("gating.gate", "gate", "Fail a pipeline when a policy got worse."),
        "report": Place("reporting.report", "report", "Write one page about policies on a suite."),
    },
    "Share a suite and look after it": {
        "share": Place("sharing.share", "share", "Write a suite in one file for another lab."),
        "materialize": Place("sharing.materialize", "materialize", "Make a shared suite from your own routes."),
        "cite": Place("sharing.cite", "cite", "Print what to cite when results on a suite are reported."),
        "check": Place("living.check", "check", "Ask whether it is still the same benchmark."),
        "homogeneity": Place("living.homogeneity", "app", "Find which policies are alike."),
        "refresh": Place("living.refresh", "refresh_suite", "Ask whether a suite's probes still explain policies."),
    },
    "Measure the method": {
        "study": Place("studying.study", "app", "Measure how wrong estimates from suites are."),
    },
    "Test a stack without CARLA": {
        "headless": Place("headless.group", "app", "A CPU-only server that the real CARLA client connects to."),
    },
}
"""Errand -> command -> place, in the order of the help."""

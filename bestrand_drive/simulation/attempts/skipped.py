"""Scenarios that did not take place although the route asks for them: that drive was an easier one than the route."""

from __future__ import annotations

from bestrand_drive.benchmarks.record_parsing import skipped_scenarios
from bestrand_drive.benchmarks.result_files import records_of
from bestrand_drive.benchmarks.strict_json import parse_json
from bestrand_drive.simulation.attempts.record import Attempt
from bestrand_drive.simulation.attempts.store import AttemptStore


def skipped_in(store: AttemptStore, attempt: Attempt) -> tuple[str, ...]:
    """What an attempt's result says of it, ``NAME: REASON`` each; nothing where there is no result.

    Raises:
        DataRefused: The result is not there any more, or changed.
    """
    if attempt.result_file is None:
        return ()
    where = str(attempt.result_file)
    records = records_of(parse_json(store.result(attempt), where), where) or ()
    return tuple(said for record in records for said in skipped_scenarios(record))

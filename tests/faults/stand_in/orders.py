"""What a stand-in is told to do. Runs under Python 3.7 and later, in the stand-in's process."""

import os

KINDS = {
    "ok": "drive to the end",
    "slow": "drive in so many seconds",
    "steps": "write into SAVE_PATH what comfort is computed from, and drive on; every second route brakes hard",
    "status": "end with another status of the policy, such as 'Failed - Agent got blocked'",
    "import_error": "the agent imports what is not there: a traceback, exit 1, no file",
    "setup": "the agent cannot be set up",
    "sensors": "the agent's sensors are refused",
    "agent_crash": "the agent raises",
    "simulation_crash": "the simulation raises; exit 255, and every process with the rank is killed",
    "oom": "the agent raises, for want of GPU memory",
    "oom_survived": "the agent says that it met a full GPU, goes on, and raises for another reason",
    "oom_early": "the agent says that it met a full GPU, so many seconds pass, and the simulation raises",
    "oom_setup": "the agent cannot be set up, for want of GPU memory",
    "address": "a port is taken: a traceback, exit 1",
    "address_survived": "a port is taken, another one is found, and the simulation raises",
    "segv": "die of SIGSEGV while the result is written",
    "truncated": "half a result, exit 0",
    "empty": "an empty result, exit 0",
    "foreign": "the record of another route",
    "no_record": "a result without a record, exit 0",
    "no_file": "no result, exit 0",
    "exit": "end with this code, without a record",
    "hang": "stand still in the agent",
    "hang_evaluator": "stand still between two ticks, but not in the agent",
    "stubborn": "stand still in the agent, and ignore SIGTERM",
    "hang_start": "stand still before a world is asked for",
    "hang_load": "stand still while the world is loaded",
    "hang_tick": "stand still in a tick",
    "hang_end": "stand still after the result is written",
    "flood": "write so many megabytes to standard error, and drive on",
    "grandchild": "leave a process behind in a session of its own, and drive on",
}


def order(route, seed):
    """Kind and value for a route."""
    number = _count(route, seed)
    for text in filter(None, os.environ.get("BESTRAND_STAND_IN", "").split(",")):
        where, _, rest = text.rpartition(":")
        rest, _, attempts = rest.partition("@")
        kind, _, value = rest.partition("=")
        if kind not in KINDS:
            raise SystemExit(f"stand-in: no kind {kind!r}; there are {KINDS}")
        if where in ("", "*", route) and _fits(attempts, number):
            return kind, value
    return "ok", ""


def _fits(attempts, number):
    """Whether a start is among those of ``1``, ``1-3`` or ``2+``."""
    if not attempts:
        return True
    if attempts.endswith("+"):
        return number >= int(attempts[:-1])
    first, _, last = attempts.partition("-")
    return int(first) <= number <= int(last or first)


def _count(route, seed):
    """The number of this start of a route with a seed, from 1."""
    folder = os.environ.get("BESTRAND_STAND_IN_STATE", "")
    if not folder:
        return 1
    handle = os.open(os.path.join(folder, f"{route}.{seed}"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.write(handle, b".")
        return os.fstat(handle).st_size
    finally:
        os.close(handle)

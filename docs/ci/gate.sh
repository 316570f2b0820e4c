#!/usr/bin/env bash
# Drives a policy on a suite and gates it against a baseline: what the recipes beside this file call.
#
#   docs/ci/gate.sh AGENT CANDIDATE BASELINE [OPTIONS of bestrand gate]
#
# AGENT is a leaderboard agent's file (or probe:NAME), CANDIDATE the run folder to drive into, BASELINE an earlier one.
# The first time there is no BASELINE: the run is kept, to be the first one, and nothing is gated (exit 0, or 6
# when a route has no result: no baseline to keep).
# Variables: SUITE, the suite's folder (default: suite), made of ROUTES routes (20) if it is absent; SERVERS that drive at
# the same time (2).
set -euo pipefail
if [ $# -lt 3 ]; then
  echo "usage: docs/ci/gate.sh AGENT CANDIDATE BASELINE [OPTIONS of bestrand gate]" >&2
  exit 2
fi
agent="$1" candidate="$2" baseline="$3"
shift 3
suite="${SUITE:-suite}"
if [ ! -f "$suite/suite.json" ]; then
  bestrand compress builtin --part demo --k "${ROUTES:-20}" --out "$suite"
fi
mkdir -p "$(dirname "$candidate")"
drove=0
bestrand run builtin --agent "$agent" --routes "$suite" --servers "${SERVERS:-2}" --out "$candidate" || drove=$?
if [ "$drove" -ne 0 ] && [ "$drove" -ne 6 ]; then # 6: routes without a result are for the gate to judge
  exit "$drove"
fi
if [ ! -f "$baseline/run.json" ]; then
  if [ "$drove" -ne 0 ]; then
    echo "no baseline at $baseline yet, and routes of $candidate have no result: it is none to keep" >&2
    exit "$drove"
  fi
  echo "no baseline at $baseline yet: keep $candidate as the first one; the next run is gated against it"
  exit 0
fi
bestrand gate "$suite" --baseline "$baseline" --candidate "$candidate" "$@"

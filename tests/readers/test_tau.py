"""tau and tau2: trials, domains, runs that the machinery ended."""

from __future__ import annotations

import json

import pytest

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.readers.tau import recognises
from bestrand_drive.workflows.importing.verb import import_logs
from tests.readers.tables import by_item, scores


def run(task, reward, trial=0, **info):
    told = {
        "task": {"user_id": f"u{task}", "instruction": f"do {task}", "actions": [], "outputs": []},
        "source": "user",
    }
    return {"task_id": task, "reward": reward, "info": told | info, "traj": [{"role": "user"}], "trial": trial}


def crashed(task, trial=0):
    """As the tool records a run that an exception ended."""
    info = {"error": "502 Bad Gateway", "traceback": "Traceback ..."}
    return {"task_id": task, "reward": 0.0, "info": info, "traj": [], "trial": trial}


def put_two(path, model, domain, runs, commit="abc1"):
    """Results of tau2 with the text of each task."""
    info = {
        "git_commit": commit,
        "num_trials": 4,
        "user_info": {"llm": "someone-else"},
        "agent_info": {"implementation": "llm_agent", "llm": model},
        "environment_info": {"domain_name": domain, "policy": "..."},
    }
    ids = dict.fromkeys(one["task_id"] for one in runs)
    tasks = [{"id": name, "user_scenario": {"instructions": f"{domain} {name}"}, "issues": None} for name in ids]
    told = {"timestamp": "2026-01-01", "info": info, "tasks": tasks, "simulations": runs}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(told, indent=2))
    return told


def simulation(task, reward, trial=0, reason="user_stop", **more):
    told = None if reward is None else {"reward": reward, "reward_breakdown": {"DB": reward}}
    shared = {"id": f"{task}-{trial}", "task_id": task, "trial": trial, "termination_reason": reason, "duration": 9.5}
    return shared | {"agent_cost": 0.02, "reward_info": told} | more


def test_trials_of_tau_are_repeats_and_its_exceptions_are_no_failures(tmp_path):
    runs = [run(0, 1.0), run(0, 0.0, 1), run(1, 0.0), crashed(1, 1)]
    file = tmp_path / "tool-calling-gpt-4o-0.0_range_0--1_user-gpt-4o-llm_0101010101.json"
    (tmp_path / "airline").mkdir()
    (tmp_path / "airline" / file.name).write_text(json.dumps(runs, indent=2))
    assert recognises(tmp_path)
    found = import_logs("tau", tmp_path)
    assert scores(found) == {("0", "0"): 1.0, ("0", "1"): 0.0, ("1", "0"): 0.0, ("1", "1"): None}
    assert (found.models, found.spec.tasks) == (("tool-calling-gpt-4o",), ("airline",))
    assert any("1 runs ended by an exception and recorded with reward 0" in line for line in found.said)


def test_only_an_error_without_a_conversation_is_an_exception(tmp_path):
    """An agent may speak of errors, and a run may end before anybody has said a word."""
    silent = run(1, 0.0) | {"traj": []}
    (tmp_path / "m-retail.json").write_text(json.dumps([run(0, 0.0, error="no such order"), silent, crashed(2)]))
    assert by_item(import_logs("tau", tmp_path)) == {"0": 0.0, "1": 0.0, "2": None}


def test_ids_of_two_domains_are_other_items(tmp_path):
    for domain, reward in (("airline", 1.0), ("retail", 0.0)):
        (tmp_path / f"gpt-4o-{domain}.json").write_text(json.dumps([run(0, reward)]))
    with pytest.raises(UsageError, match=r"Several tasks: airline \(1 rows\), retail \(1 rows\)"):
        import_logs("tau", tmp_path)
    found = import_logs("tau", tmp_path, task="*")
    assert found.models == ("gpt-4o",)
    assert by_item(found) == {"airline/0": 1.0, "retail/0": 0.0}


def test_a_domain_that_no_name_tells_is_found_out_by_content(tmp_path):
    other = run(0, 1.0)
    other["info"]["task"]["instruction"] = "another domain's"
    for name, one in (("a.json", run(0, 1.0)), ("b.json", other)):
        (tmp_path / name).write_text(json.dumps([one]))
    with pytest.raises(DataRefused, match="'0' is not the same in"):
        import_logs("tau", tmp_path)


def test_tau2_leaves_infrastructure_out_and_counts_what_the_agent_did(tmp_path):
    runs = [
        simulation("t1", 1.0),
        simulation("t1", 0.0, 1, reason="max_steps"),
        simulation("t2", 0.0, reason="infrastructure_error"),
        simulation("t2", None, 1, reason="too_many_errors"),
    ]
    put_two(tmp_path / "x.json", "org/m", "telecom", runs)
    found = import_logs("tau", tmp_path)
    assert scores(found) == {("t1", "0"): 1.0, ("t1", "1"): 0.0, ("t2", "0"): None, ("t2", "1"): None}
    assert (found.models, found.spec.tasks) == (("org/m",), ("telecom",))
    assert found.cells.cost_s.tolist() == [9.5] * 4
    both = import_logs("tau", tmp_path, metric=("reward", "agent_cost"))
    assert set(by_item(both, metric="agent_cost").values()) == {0.02}


def test_simulations_in_files_of_their_own(tmp_path):
    whole = put_two(tmp_path / "run" / "results.json", "m", "mock", [simulation("a", 1.0), simulation("b", 0.0)])
    folder = tmp_path / "run" / "simulations"
    folder.mkdir()
    for one in whole.pop("simulations"):
        (folder / f"{one['id']}.json").write_text(json.dumps(one))
    (tmp_path / "run" / "results.json").write_text(json.dumps(whole))
    assert by_item(import_logs("tau", tmp_path)) == {"a": 1.0, "b": 0.0}


def test_fields_that_a_later_version_adds_do_not_change_a_task(tmp_path):
    put_two(tmp_path / "a.json", "a", "mock", [simulation("t", 1.0)])
    later = put_two(tmp_path / "b.json", "b", "mock", [simulation("t", 0.0)])
    later["tasks"][0] |= {"ticket": None, "required_documents": ["x"]}
    later["tasks"][0]["user_scenario"] |= {"persona": None}
    (tmp_path / "b.json").write_text(json.dumps(later))
    assert import_logs("tau", tmp_path).items == 1
    later["tasks"][0]["user_scenario"] = {"instructions": "reworded"}
    (tmp_path / "b.json").write_text(json.dumps(later))
    with pytest.raises(DataRefused, match=r"'t' of mock is not the same"):
        import_logs("tau", tmp_path)


def test_damage_is_refused(tmp_path):
    (tmp_path / "x-mock.json").write_text('[{"task_id": 1}]')
    with pytest.raises(DataRefused, match="has no reward, task_id, trial"):
        import_logs("tau", tmp_path)
    (tmp_path / "x-mock.json").write_text('{"timestamp": null, "info": {}, "tasks": [], "simulations": []}')
    with pytest.raises(DataRefused, match="names no domain and no agent"):
        import_logs("tau", tmp_path)

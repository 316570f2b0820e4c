"""Score tables: which models become probes, what is said of copies, what the items table brings."""

from __future__ import annotations

import numpy as np
import pytest

from bestrand_drive import compress, estimate
from bestrand_drive.errors import BestrandError, DataRefused, UsageError
from tests.workflows.toys import read_json, write_wide

IDS = [f"q{number}" for number in range(24)]


def table(path, means: dict[str, int], copy_of: dict[str, str] | None = None):
    """Models right on their first so many of 24 items."""
    columns = {name: [float(number < right) for number in range(24)] for name, right in means.items()}
    return write_wide(path, IDS, columns | {copy: columns[name] for copy, name in (copy_of or {}).items()})


@pytest.mark.parametrize(
    ("wanted", "picked"),
    [(1, ["m4"]), (2, ["m2", "m6"]), (4, ["m1", "m3", "m5", "m7"]), (8, [f"m{number}" for number in range(8)])],
)
def test_probes_are_spread_over_ability(tmp_path, wanted, picked):
    """Eight models in mixed order; n probes stand in the middles of n equal parts of the ranking."""
    order = [3, 0, 7, 5, 1, 6, 2, 4]
    scores = table(tmp_path / "s.csv", {f"m{number}": 2 + 3 * number for number in order})
    suite = compress("scores", scores=scores, n_probes=wanted, k=6)
    assert sorted(probe.name for probe in suite.probes) == picked


def test_copies_are_not_picked_and_named(bestrand, tmp_path):
    scores = table(tmp_path / "s.csv", {"a": 5, "b": 12, "c": 20}, {"d": "b", "e": "b"})
    ran = bestrand("compress", "scores", "--scores", scores, "--k", 6, "--out", tmp_path / "suite")
    assert ran.code == 0, ran.err
    assert [probe["name"] for probe in read_json(tmp_path / "suite" / "suite.json")["probes"]] == ["a", "b", "c"]
    assert "d = b, e = b" in ran.out


def test_models_without_a_score_are_no_probes(tmp_path):
    """They would take the place of one that guides the choice."""
    columns = {name: [float(number < right) for number in range(24)] for name, right in (("a", 5), ("b", 12))}
    scores = write_wide(tmp_path / "s.csv", IDS, columns | {"none": [""] * 24, "nor": [""] * 24})
    suite = compress("scores", scores=scores, n_probes=2, k=6)
    assert sorted(probe.name for probe in suite.probes) == ["a", "b"]
    assert suite.findings == ["2 models have no score and are not taken as probes: none, nor"]
    with pytest.raises(UsageError, match="has 2 distinct models"):
        compress("scores", scores=scores, n_probes=3, k=6)


def test_a_metric_without_values_is_not_taken_for_right_or_wrong(tmp_path):
    lines = [f"q{n},{m},{k},{(n + len(m)) % 2 if k == 'a' else ''}" for n in range(6) for m in "xy" for k in "ab"]
    (tmp_path / "s.csv").write_text("\n".join(["item_id,model,metric,value", *lines]))
    suite = compress("scores", scores=tmp_path / "s.csv", k=3)
    assert [(metric.name, metric.binary) for metric in suite.metrics] == [("a", True), ("b", False)]


def test_a_copy_named_as_a_probe_is_reported_as_what_it_is(bestrand, tmp_path):
    scores = table(tmp_path / "s.csv", {"a": 5, "b": 12}, {"d": "b"})
    probes = ("--probe", "a", "--probe", "b", "--probe", "d")
    ran = bestrand("compress", "scores", "--scores", scores, *probes, "--k", 6, "--out", tmp_path / "suite")
    assert ran.code == 0, ran.err
    assert "d has exactly the scores of b; the two count as one probe" in ran.out
    assert "not taken as probes" not in ran.out, "it was taken, as the user asked"


def test_an_items_table_must_cover_the_scores(tmp_path):
    scores = table(tmp_path / "s.csv", {"a": 5, "b": 12})
    items = write_wide(tmp_path / "i.csv", IDS[:-1], {"stratum": ["x"] * 23})
    with pytest.raises(DataRefused, match="q23"):
        compress("scores", scores=scores, items=items, k=6)


def test_a_group_in_two_strata_is_refused(tmp_path):
    scores = table(tmp_path / "s.csv", {"a": 5, "b": 12})
    columns = {"stratum": ["x", "y"] * 12, "group": [f"g{number // 2}" for number in range(24)]}
    with pytest.raises(DataRefused, match="2 strata"):
        compress("scores", scores=scores, items=write_wide(tmp_path / "i.csv", IDS, columns), k=6)


@pytest.mark.parametrize(("k", "source"), [(12, "own repeats"), (10, "own repeats"), (9, "borrowed: repeats of a, b")])
def test_a_repeat_column_gives_the_policy_interval(tmp_path, k, source):
    """Three runs of ten items leave 20 degrees of freedom, which is enough to tell the noise; of nine, 18."""
    rng = np.random.default_rng(3)
    rows = ["item_id,model,value,repeat"]
    for item in IDS:
        level = rng.random()
        rows += [f"{item},{model},{float(rng.random() < level)},{run}" for model in "abt" for run in range(3)]
    (tmp_path / "s.csv").write_text("\n".join(rows))
    suite = compress("scores", scores=tmp_path / "s.csv", probes=["a", "b"], k=k)
    line = estimate(suite, tmp_path / "s.csv", policy="t")["score"].estimate
    assert line.noise is not None
    assert line.noise.source == source
    assert line.policy.half_width > line.run.half_width


def test_repeats_that_are_copies_of_one_run_narrow_nothing(tmp_path):
    """The same file given as three seeds is one run: its own noise would be 0, its policy interval a third as wide."""
    rng = np.random.default_rng(3)
    levels = rng.random(24)
    rows = ["item_id,model,value,repeat"]
    for item, level in zip(IDS, levels, strict=True):
        rows += [f"{item},{model},{rng.random() * level:.3f},{run}" for model in "ab" for run in range(3)]
    (tmp_path / "s.csv").write_text("\n".join(rows))
    suite = compress("scores", scores=tmp_path / "s.csv", probes=["a", "b"], k=12)
    found = []
    for runs in (1, 3):
        lines = [
            f"{item},t,{0.5 * level:.3f},{run}" for item, level in zip(IDS, levels, strict=True) for run in range(runs)
        ]
        (tmp_path / f"t{runs}.csv").write_text("\n".join([rows[0], *lines]))
        found.append(estimate(suite, tmp_path / f"t{runs}.csv")["score"].estimate)
    assert found[0] == found[1]
    assert found[0].noise.source == "borrowed: repeats of a, b"


@pytest.mark.parametrize("extra", [{}, {"stratum": ["x", "y"] * 12}, {"cost_s": [1.0] * 24}])
def test_without_probes_any_items_table_will_do(tmp_path, extra):
    scores = table(tmp_path / "s.csv", {"a": 5, "b": 12})
    items = write_wide(tmp_path / "i.csv", IDS, extra) if extra else None
    suite = compress("scores", scores=scores, items=items, n_probes=0, k=6)
    assert suite.probes == []
    assert suite.k == 6
    target = table(tmp_path / "t.csv", {"t": 9})
    right = [float(IDS.index(item) < 9) for item in suite.chosen]
    assert estimate(suite, target)["score"].estimate.value == pytest.approx(sum(right) / 6)


def test_items_that_no_probe_has_are_never_chosen_and_still_estimated(tmp_path):
    ids = IDS
    columns = {"a": ["" if n in (3, 9) else float(n % 3 > 0) for n in range(24)]}
    columns["b"] = ["" if n in (3, 9) else float(n % 4 > 0) for n in range(24)]
    scores = write_wide(tmp_path / "s.csv", ids, columns)
    for seed in range(5):
        suite = compress("scores", scores=scores, k=20, seed=seed)
        assert not {"q3", "q9"} & set(suite.chosen)
        assert suite.n == 24
        assert [item.id for item in suite.items if not item.in_pool] == ["q3", "q9"]
    with pytest.raises(BestrandError, match=r"only 22 of 24 can be chosen \(0 are excluded, 2 have no probe score\)"):
        compress("scores", scores=scores, k=23)


MEANS = {f"m{number}": 2 + 3 * number for number in [3, 0, 7, 5, 1, 6, 2, 4]}
"""Models in mixed order, better by their number."""


def picked(scores, **options) -> list[str]:
    return sorted(probe.name for probe in compress("scores", scores=scores, k=6, **options).probes)


def test_auto_takes_at_most_one_of_a_family_while_others_are_left(tmp_path):
    scores = table(tmp_path / "s.csv", MEANS, {"copy": "m4"})
    families = {"Oak": ["m2", "m6", "m7"], "Elm": ["m0", "m1"]}
    assert picked(scores, n_probes=2, probe_choice="auto") == picked(scores, n_probes=2) == ["m2", "m6"]
    suite = compress("scores", scores=scores, k=6, n_probes=2, probe_choice="auto", families=families)
    assert [probe.name for probe in suite.probes] == ["m2", "m5"], "m6 is of m2's family; m5 is the nearest other"
    assert list(suite.families) == ["Oak"], "no probe is of Elm"
    assert picked(scores, n_probes=8, probe_choice="auto", families=families) == [f"m{number}" for number in range(8)]


@pytest.mark.parametrize("choice", ["even", "auto", "random", "low", "high", "first"])
def test_all_families_may_be_named_whichever_probes_are_picked(tmp_path, choice):
    """What ``homogeneity`` prints is of the whole table: most of it without a probe, which is no mistake."""
    scores = table(tmp_path / "s.csv", MEANS)
    families = {"Oak": ["m6", "m7"], "Elm": ["m0", "m1"], "Ash": ["m2", "m3"], "Fir": ["m4", "m5"]}
    suite = compress("scores", scores=scores, k=6, n_probes=2, probe_choice=choice, families=families)
    names = {probe.name for probe in suite.probes}
    assert suite.families == {name: own for name, own in families.items() if names & set(own)}
    with pytest.raises(UsageError, match="--family Yew: none of m99 is a model of the table"):
        compress("scores", scores=scores, k=6, n_probes=2, probe_choice=choice, families={"Yew": ["m99"]})


def test_equal_models_are_picked_by_name_whatever_the_table_s_order(tmp_path):
    rng = np.random.default_rng(0)
    columns = {name: rng.permutation([1.0] * 12 + [0.0] * 12).tolist() for name in "dbcafe"}
    one = write_wide(tmp_path / "one.csv", IDS, columns)
    other = write_wide(tmp_path / "other.csv", IDS, dict(sorted(columns.items())))
    assert picked(one, n_probes=2, probe_choice="auto") == picked(other, n_probes=2, probe_choice="auto") == ["b", "e"]


def test_probes_by_chance_from_an_end_or_first(tmp_path):
    scores = table(tmp_path / "s.csv", MEANS, {"copy": "m3"})
    assert picked(scores, n_probes=3, probe_choice="first") == ["m0", "m3", "m7"]
    low = {tuple(picked(scores, n_probes=2, probe_choice="low", seed=seed)) for seed in range(5)}
    assert low == {("m0", "m1")}
    assert picked(scores, n_probes=2, probe_choice="high") == ["m6", "m7"]
    by_chance = {tuple(picked(scores, n_probes=2, probe_choice="random", seed=seed)) for seed in range(12)}
    assert len(by_chance) > 4
    assert not any("copy" in pair for pair in by_chance)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"n_probes": 2, "probe_choice": "best"}, "known are even, auto"),
        ({"probe_choice": "auto"}, "--n-probes"),
        ({"n_probes": 2, "probe_choice": "auto", "families": {"Ash": ["zz"]}}, "Ash"),
    ],
)
def test_probe_choices_that_cannot_be_meant_are_refused(tmp_path, options, word):
    with pytest.raises(UsageError, match=word):
        compress("scores", scores=table(tmp_path / "s.csv", MEANS), k=6, **options)


def test_an_objective_is_on_record_and_the_default_leaves_none(bestrand, tmp_path):
    rng = np.random.default_rng(2)
    columns = {f"m{n}": (rng.random(24) < 0.3 + 0.1 * n).astype(float).tolist() for n in range(4)}
    scores = write_wide(tmp_path / "s.csv", IDS, columns)
    common = ("compress", "scores", "--scores", scores, "--k", 6, "--out", tmp_path / "suite", "--force")
    assert bestrand(*common, "--objective", "ranking").code == 0
    settings = read_json(tmp_path / "suite" / "suite.json")["choice"]["settings"]
    assert settings["objective"] == "ranking"
    assert compress("scores", scores=scores, k=6, objective="ranking").choice.settings == settings
    assert "objective" not in compress("scores", scores=scores, k=6).choice.settings
    for options, said in (
        (("--objective", "rank"), "--objective rank: known are"),
        (("--objective", "ranking", "--selector", "random"), "--selector random balances nothing"),
    ):
        ran = bestrand(*common, *options)
        assert (ran.code, said in ran.err) == (2, True), ran.err

"""Slow, literal reference versions of the statistics, one function a formula, float64 numpy only.

Written from the formulas alone and sharing no code with the package: "part N" below is a part of the statistics notes.
`python reference.py` checks the formulas against each other and against draws from the models they assume.

Axes: `x`, `c`: [item, probe]; `strata`: one label an item; `S`: item positions of the measured subset, in the order of
`y_S`; `w`: [item] weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from scipy import stats

Array = np.ndarray
Pair = tuple[float, float]


def _own_mean(column: Array) -> float:
    present = [v for v in column if not math.isnan(v)]
    return sum(present) / len(present) if present else 0.0


def fill(x: Array) -> Array:
    """Part 7.1 Fill: centre on own items, missing := mean of the other probes there (0 if none), centre again."""
    n, p = x.shape
    centred = np.array([[x[i, j] - _own_mean(x[:, j]) for j in range(p)] for i in range(n)])
    c = centred.copy()
    for i in range(n):
        for j in range(p):
            if math.isnan(centred[i, j]):
                others = [centred[i, m] for m in range(p) if m != j and not math.isnan(centred[i, m])]
                c[i, j] = sum(others) / len(others) if others else 0.0
    for j in range(p):
        c[:, j] = c[:, j] - sum(c[:, j]) / n
    return c


def family_average(x: Array, families: Sequence[Sequence[int]]) -> Array:
    """Part 7.1 Families first: members centred on their own items, averaged over the non-missing ones, then filled."""
    columns = np.full((len(x), len(families)), math.nan)
    for f, members in enumerate(families):
        for i in range(len(x)):
            present = [x[i, j] - _own_mean(x[:, j]) for j in members if not math.isnan(x[i, j])]
            if present:
                columns[i, f] = sum(present) / len(present)
    return fill(columns)


def features(c_per_metric: Sequence[Array], weights: Sequence[float] | None = None) -> Array:
    """Part 7.1 Features: per metric z = c / s_m [p columns], then sqrt(p) x row mean of z; s_m = rms of c; x weight."""
    columns = []
    for m, c in enumerate(c_per_metric):
        n, p = c.shape
        s_m = math.sqrt(sum(c[i, j] ** 2 for i in range(n) for j in range(p)) / (n * p))
        z = c / s_m if s_m > 0 else np.zeros_like(c)
        profile = np.array([math.sqrt(p) * sum(z[i]) / p for i in range(n)])
        weight = 1.0 if weights is None else weights[m]
        columns += [weight * z[:, j] for j in range(p)] + [weight * profile]
    return np.stack(columns, axis=1)


def masked_features(x_per_metric: Sequence[Array], weights: Sequence[float] | None = None) -> tuple[Array, Array]:
    """Part 2c: x / s_m, no profile, with a mask; s_m^2 = mean over valid cells of (x - probe mean)^2."""
    columns = []
    for m, x in enumerate(x_per_metric):
        squares = [(v - _own_mean(col)) ** 2 for col in x.T for v in col if not math.isnan(v)]
        s_m = math.sqrt(sum(squares) / len(squares))
        weight = 1.0 if weights is None else weights[m]
        columns += [weight * col / s_m if s_m > 0 else 0.0 * col for col in x.T]
    f = np.stack(columns, axis=1)
    return f, ~np.isnan(f)


def imbalance(f: Array, subset: Sequence[int], pool: Sequence[int], valid: Array | None = None) -> float:
    """Part 7.1 Pick: L2 norm of mean_subset F - mean_pool F; with a mask, each mean is over its own valid cells.

    A column with no valid cell in the pool is ignored; one with none in the subset makes the imbalance infinite.
    """
    total = 0.0
    for q in range(f.shape[1]):
        in_pool = [f[i, q] for i in pool if valid is None or valid[i, q]]
        in_subset = [f[i, q] for i in subset if valid is None or valid[i, q]]
        if not in_pool:
            continue
        if not in_subset:
            return math.inf
        total += (sum(in_subset) / len(in_subset) - sum(in_pool) / len(in_pool)) ** 2
    return math.sqrt(total)


def _profile(c: Array, strata: Sequence) -> tuple[Array, dict, Array]:
    n, p = c.shape
    r = np.array([sum(c[i]) / p for i in range(n)])
    s = {}
    for h in sorted(set(strata)):
        members = [r[i] for i in range(n) if strata[i] == h]
        s[h] = sum(members) / len(members)
    return r, s, np.array([[r[i] - s[strata[i]], s[strata[i]]] for i in range(n)])


def _slopes(d: Array, y: Array) -> Array:
    """OLS without intercept (both sides are centred), ridge 1e-3 x mean diagonal of d'd."""
    gram = d.T @ d
    ridge = 1e-3 * np.trace(gram) / 2
    return np.linalg.solve(gram + ridge * np.eye(2), d.T @ y) if ridge > 0 else np.zeros(2)


def _anova(res: Array, strata: Sequence) -> tuple[float, float, float]:
    """MSB, MSW and n0 of a one-way layout. One stratum: MSB = MSW. One item a stratum everywhere: MSW = MSB."""
    n, labels = len(res), sorted(set(strata))
    grand = sum(res) / n
    ssb = ssw = sum_n2 = 0.0
    for h in labels:
        members = [res[i] for i in range(n) if strata[i] == h]
        mean = sum(members) / len(members)
        ssb += len(members) * (mean - grand) ** 2
        ssw += sum((v - mean) ** 2 for v in members)
        sum_n2 += len(members) ** 2
    if len(labels) == 1:
        return ssw / (n - 1), ssw / (n - 1), 1.0
    msb, n0 = ssb / (len(labels) - 1), (n - sum_n2 / n) / (len(labels) - 1)
    return msb, ssw / (n - len(labels)) if n > len(labels) else msb, n0


def variance_components(c: Array, strata: Sequence, ddof: int = 1) -> dict:
    """Part 7.1 BLUP constants, from the probes only (`c` filled). One probe: beta = v_b = 0, its own ANOVA.

    Single-probe slopes use the same relative ridge, are not clipped, and v_b divides by p - ddof.
    """
    strata = list(strata)
    r, s, d = _profile(c, strata)
    p = c.shape[1]
    beta, v_b, residuals = np.zeros(2), np.zeros(2), [c[:, 0]]
    if p > 1:
        left_out = [_profile(np.stack([c[:, m] for m in range(p) if m != j], axis=1), strata)[2] for j in range(p)]
        pooled = _slopes(np.concatenate(left_out), np.concatenate([c[:, j] for j in range(p)]))
        beta = np.array([min(max(b, 0.0), 1.5) for b in pooled])
        single = [_slopes(left_out[j], c[:, j]) for j in range(p)]
        for a in range(2):
            mean = sum(b[a] for b in single) / p
            v_b[a] = max(0.01, sum((b[a] - mean) ** 2 for b in single) / (p - ddof))
        residuals = [c[:, j] - left_out[j] @ beta for j in range(p)]
    tables = [_anova(res, strata) for res in residuals]
    s_u2 = max(0.0, sum((msb - msw) / n0 for msb, msw, n0 in tables) / len(tables))
    s_e2 = sum(msw for _, msw, _ in tables) / len(tables)
    return {"r": r, "s": s, "d": d, "beta": beta, "v_b": v_b, "s_u2": s_u2, "s_e2": s_e2}


def joint_covariance(d: Array, strata: Sequence, components: dict) -> Array:
    """Covariance of y over all N items given mu: d_i' diag(v_b) d_j + s_u2 [same stratum] + s_e2 [i = j]."""
    n = len(d)
    v_b, s_u2, s_e2 = components["v_b"], components["s_u2"], components["s_e2"]
    cov = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            cov[i, j] = d[i, 0] * v_b[0] * d[j, 0] + d[i, 1] * v_b[1] * d[j, 1]
            cov[i, j] += s_u2 * (strata[i] == strata[j]) + s_e2 * (i == j)
    return cov


def kriging(y_S: Array, S: Sequence[int], offset: Array, cov: Array, w: Array) -> Pair:
    """Universal kriging of sum w y / sum w, for y = mu + offset + N(0, cov) on all N items, mu flat.

    Unit-sum coefficients `a` on y_S with the least Var(w'y - a'y_S): [[C_SS, 1], [1', 0]] [a, m] = [C_S. w, 1].
    """
    S, n = list(S), len(S)
    share = np.asarray(w, dtype=float) / sum(w)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = cov[np.ix_(S, S)]
    system[:n, n] = system[n, :n] = 1.0
    a = np.linalg.solve(system, np.append(cov[S] @ share, 1.0))[:n]
    error = share.copy()  # the coefficients of (truth - estimate) on y
    for t, i in enumerate(S):
        error[i] -= a[t]
    return float(share @ offset + a @ (np.asarray(y_S) - offset[S])), float(error @ cov @ error)


def blup(y_S: Array, S: Sequence[int], c: Array, strata: Sequence, components: dict, w: Array | None = None) -> Pair:
    """Part 7.1 model by the N x N joint Gaussian: (estimate, posterior variance) of sum w y / sum w (default: mean)."""
    d, w = _profile(c, list(strata))[2], np.ones(len(c)) if w is None else w
    return kriging(y_S, S, d @ components["beta"], joint_covariance(d, strata, components), w)


def blup_kr(y_S: Array, S: Sequence[int], c: Array, strata: Sequence, components: dict, w: Array | None = None) -> Pair:
    """The same by the K_r formulas of part 7.1, unmeasured items' terms times their weight (R s_e2 -> sum w^2 s_e2)."""
    S, strata, y_S = list(S), list(strata), np.asarray(y_S, dtype=float)
    d, w = _profile(c, strata)[2], np.ones(len(c)) if w is None else np.asarray(w, dtype=float)
    beta, v_b, s_u2, s_e2 = (components[key] for key in ("beta", "v_b", "s_u2", "s_e2"))
    rest, one = [i for i in range(len(c)) if i not in S], np.ones(len(S))
    same = np.array([[float(strata[i] == strata[j]) for j in S] for i in S])
    inverse = np.linalg.inv(d[S] @ np.diag(v_b) @ d[S].T + s_u2 * same + s_e2 * np.eye(len(S)))
    mu = (one @ inverse @ (y_S - d[S] @ beta)) / (one @ inverse @ one)
    a = inverse @ (y_S - d[S] @ beta - mu)
    total = sum(w[i] * y for i, y in zip(S, y_S, strict=True))
    for i in rest:
        link = np.array([d[i] @ np.diag(v_b) @ d[j] + s_u2 * (strata[i] == strata[j]) for j in S])
        total += w[i] * (mu + d[i] @ beta + link @ a)
    c_d = sum((w[i] * d[i] for i in rest), np.zeros(2))
    c_h = {h: sum(w[i] for i in rest if strata[i] == h) for h in set(strata)}
    k_r = d[S] @ np.diag(v_b) @ c_d + s_u2 * np.array([c_h[strata[i]] for i in S])
    v_rr = c_d @ np.diag(v_b) @ c_d + s_u2 * sum(v**2 for v in c_h.values()) + s_e2 * sum(w[i] ** 2 for i in rest)
    gap = sum(w[i] for i in rest) - one @ inverse @ k_r
    post = v_rr - k_r @ inverse @ k_r + gap**2 / (one @ inverse @ one)
    return float(total / sum(w)), float(post / sum(w) ** 2)


def residual_variance(y_S: Array, S: Sequence[int], c: Array, strata: Sequence, components: dict) -> float:
    """Part 7.1 Interval: s2 = sample variance (n - 1) of y_i - d_i'beta on S."""
    d = _profile(c, list(strata))[2]
    res = [y - d[i] @ components["beta"] for i, y in zip(S, y_S, strict=True)]
    return sum((v - sum(res) / len(res)) ** 2 for v in res) / (len(res) - 1)


def blup_scaled(y_S: Array, S: Sequence[int], c: Array, strata: Sequence, comp: dict, w: Array | None = None) -> float:
    """Part 7.1 Interval: posterior variance x s2 / (s_u2 + s_e2)."""
    s2 = residual_variance(y_S, S, c, strata, comp)
    return blup_kr(y_S, S, c, strata, comp, w)[1] * s2 / (comp["s_u2"] + comp["s_e2"])


def exchangeable_slope(x: Array) -> float:
    """Part 1: b0 = cbar / (vbar/p + (1 - 1/p) cbar); part 5 item 3: 0 if p = 1 or cbar <= 0. `x`: [item, probe]."""
    p = x.shape[1]
    if p == 1:
        return 0.0
    cov = np.cov(x, rowvar=False)
    vbar = sum(cov[j, j] for j in range(p)) / p
    cbar = sum(cov[j, m] for j in range(p) for m in range(p) if m != j) / (p * (p - 1))
    return float(cbar / (vbar / p + (1 - 1 / p) * cbar)) if cbar > 0 else 0.0


def expc(y_S: Array, x_S: Array, h: Array, x_pool: Array, kappa: float = 20.0) -> tuple[float, Array, float, float]:
    """Part 1 exPC-kappa, part 5 item 3: (estimate, beta, df, s_e2 = RSS / (k - df)). k < 2p + 5: no fit, df = 1."""
    k, p = x_S.shape
    y_mean, x_mean = np.mean(y_S), np.mean(x_S, axis=0)
    a = x_S - x_mean
    beta, df = np.full(p, exchangeable_slope(x_pool) / p), 1.0
    gram = a.T @ a
    lam = kappa * (np.trace(gram) / p) / k
    if k >= 2 * p + 5 and lam > 0:
        shrunk = np.linalg.inv(gram + lam * np.eye(p))
        beta = beta + shrunk @ a.T @ (y_S - y_mean - a @ beta)
        df += float(np.trace(gram @ shrunk))
    res = y_S - y_mean - a @ beta
    return float(y_mean + (h - x_mean) @ beta), beta, df, float(res @ res / (k - df))


def expc_variance(k: int, pool: int, n_items: int, s_e2: float, s_y2: float) -> float:
    """Part 2e: V = (1/k - 1/P) s_e2 + (1/P - 1/N) s_y2."""
    return (1 / k - 1 / pool) * s_e2 + (1 / pool - 1 / n_items) * s_y2


def wilson_neff(
    estimate: float,
    v: float,
    s_y2: float,
    n: int,
    n_items: int | None,
    df: float,
    binary: bool,
    level: float = 0.95,
) -> Pair:
    """Part 2e Wilson with effective sample size, 0..1 scale; `df` is that of the t quantile; clipped to [0, 1].

    `n_items` None: of the policy, so without finite-population correction and without a most of the design effect.
    """
    deff = v / (s_y2 / n) if s_y2 > 0 else 1.0 if n_items is None else 1 - n / n_items
    n_e = n / min(max(deff, 0.02), math.inf if n_items is None else 1.5)
    mu = min(max(estimate, 0.0), 1.0)
    t = float(stats.t.ppf(0.5 + level / 2, df))
    spread = mu * (1 - mu) * n / (n - 1) if binary else s_y2
    centre = (mu + t**2 / (2 * n_e)) / (1 + t**2 / n_e)
    half = t * math.sqrt(spread / n_e + t**2 / (4 * n_e**2)) / (1 + t**2 / n_e)
    return max(centre - half, 0.0), min(centre + half, 1.0)


def stratified_mean(y_S: Array, strata_S: Sequence, stratum_sizes: dict) -> Pair:
    """(estimate, variance): sum_h N_h/N ybar_h; a stratum with no measured item takes the plain mean of y_S.

    With a_i the coefficient of y_i, A_h = sum of a_i in h, s_w2 the pooled within-stratum variance, s_u2 the sample's
    ANOVA component (>= 0): V = s_w2 [sum_S (a_i - 1/N)^2 + (N - n)/N^2] + s_u2 sum_h (A_h - N_h/N)^2. With every
    stratum measured, A_h = N_h/N and V is the textbook sum_h (N_h/N)^2 (1 - n_h/N_h) s_w2 / n_h. With no two measured
    items in one stratum: s_w2 = sample variance of y_S, s_u2 = 0.
    """
    n, total, strata_S = len(y_S), sum(stratum_sizes.values()), list(strata_S)
    counts = {h: strata_S.count(h) for h in stratum_sizes}
    undriven = sum(size for h, size in stratum_sizes.items() if counts[h] == 0) / total
    a = [stratum_sizes[h] / total / counts[h] + undriven / n for h in strata_S]
    estimate = sum(a[t] * y_S[t] for t in range(n))
    measured = len(set(strata_S))
    if n > measured:
        msb, s_w2, n0 = _anova(np.asarray(y_S, dtype=float), strata_S)
        s_u2 = max(0.0, (msb - s_w2) / n0)
    else:
        s_w2, s_u2 = float(np.var(y_S, ddof=1)), 0.0
    within = sum((v - 1 / total) ** 2 for v in a) + (total - n) / total**2
    between = 0.0
    for h, size in stratum_sizes.items():
        between += (sum(a[t] for t in range(n) if strata_S[t] == h) - size / total) ** 2
    return float(estimate), float(s_w2 * within + s_u2 * between)


def harmonic_mean_delta(ds: float, sr: float, v_ds: float, v_sr: float, cov: float) -> Pair:
    """2 ds sr / (ds + sr) and its delta variance; gradient 2 sr^2/(ds+sr)^2, 2 ds^2/(ds+sr)^2. Both 0: (0, nan)."""
    if ds + sr <= 0:
        return 0.0, math.nan
    g_ds, g_sr = 2 * sr**2 / (ds + sr) ** 2, 2 * ds**2 / (ds + sr) ** 2
    return 2 * ds * sr / (ds + sr), g_ds**2 * v_ds + g_sr**2 * v_sr + 2 * g_ds * g_sr * cov


def systematic_positions(n_items: int, k: int, u: float) -> list[int]:
    """Part 7.1 Stratified candidate: floor((t + u) N / k), t = 0..k-1, exact on the given float u in [0, 1)."""
    return [math.floor((t + Fraction(u)) * n_items / k) for t in range(k)]


def _world(rng: np.random.Generator, sizes: Sequence[int], p: int) -> tuple[Array, list[int]]:
    strata = [h for h, size in enumerate(sizes) for _ in range(size)]
    level = rng.normal(size=len(sizes))[strata] + rng.normal(size=len(strata))
    x = np.stack([level + rng.normal(size=len(strata)) for _ in range(p)], axis=1)
    x[rng.random(x.shape) < 0.05] = math.nan
    return fill(x), strata


def _draw(rng: np.random.Generator, c: Array, strata: list[int], comp: dict) -> Array:
    b = comp["beta"] + np.sqrt(comp["v_b"]) * rng.normal(size=2)
    u = math.sqrt(comp["s_u2"]) * rng.normal(size=max(strata) + 1)
    return rng.normal() * 3 + _profile(c, strata)[2] @ b + u[strata] + math.sqrt(comp["s_e2"]) * rng.normal(size=len(c))


def _check_algebra(rng: np.random.Generator) -> None:
    worst = 0.0
    for trial in range(40):
        c, strata = _world(rng, [1, 2, 3, 5, 8, 5], p=1 + trial % 4)
        comp, n = variance_components(c, strata), 1 + int(rng.integers(len(c)))
        S, y = rng.permutation(len(c))[:n], rng.normal(size=len(c))
        for w in (None, rng.integers(0, 2, len(c)) + 1.0 * (np.arange(len(c)) == 3), rng.random(len(c)) * 9):
            one, two = blup(y[S], S, c, strata, comp, w), blup_kr(y[S], S, c, strata, comp, w)
            worst = max(worst, abs(one[0] - two[0]), abs(one[1] - two[1]))
    print(f"joint Gaussian against K_r: largest difference {worst:.1e}")
    assert worst < 1e-9


def _check_blup(rng: np.random.Generator, draws: int) -> None:
    comp = {"beta": np.array([0.5, 0.7]), "v_b": np.array([0.04, 0.09]), "s_u2": 0.5, "s_e2": 1.0}
    ratios, known, scaled, plain = [], [], [], []
    for _ in range(draws):
        c, strata = _world(rng, [1, 2, 3, 5, 8, 5, 6], p=3)
        order = sorted(rng.permutation(len(c)), key=lambda i: strata[i])
        S = [order[t] for t in systematic_positions(len(c), 12, rng.random())] if rng.random() < 0.5 else order[::3]
        w = [np.ones(len(c)), rng.random(len(c)), np.isin(strata, [3, 4]) * 1.0][rng.integers(3)]
        y = _draw(rng, c, strata, comp)
        estimate, post = blup(y[S], S, c, strata, comp, w)
        error = w @ y / sum(w) - estimate
        v = blup_scaled(y[S], S, c, strata, comp, w)
        ratios.append(error**2 / post)
        known.append(abs(error) < 1.95996 * math.sqrt(post))
        scaled.append(abs(error) < stats.t.ppf(0.975, len(S) - 1) * math.sqrt(v))
        plain.append(v / post)
    print(f"blup: squared error / posterior variance {np.mean(ratios):.3f} (se {np.std(ratios) / draws**0.5:.3f})")
    print(f"  95 % coverage known {np.mean(known):.3f}, scaled t {np.mean(scaled):.3f}; V / post {np.mean(plain):.3f}")


def _check_components(rng: np.random.Generator, draws: int) -> None:
    found = []
    for _ in range(draws):
        strata = np.repeat(np.arange(24), rng.permutation(np.arange(24) % 6 + 1))
        u = rng.normal(size=(24, 4)) * math.sqrt(0.5)
        comp = variance_components(fill(u[strata] + rng.normal(size=(len(strata), 4))), strata)
        found.append([comp["s_u2"], comp["s_e2"], *comp["beta"], *comp["v_b"]])
    print("components, independent probes (s_u2 .5, s_e2 1, beta 0):", np.round(np.mean(found, axis=0), 3))


def _check_rest(rng: np.random.Generator, draws: int) -> None:
    n, k, sizes = 120, 30, {h: 4 + 4 * h for h in range(5)} | {5: 80}
    strata, cover, square = np.repeat(list(sizes), list(sizes.values())), np.zeros((draws, 4)), np.zeros((draws, 2, 2))
    for t in range(draws):
        common, pool = rng.normal(size=n), rng.permutation(n)[: 2 * k]
        x, y = common[:, None] + rng.normal(size=(n, 5)), common + rng.normal(size=n)
        z, S = rng.random(n) < 0.95, pool[:k]
        estimate, _, df, s_e2 = expc(y[S], x[S], x[pool].mean(axis=0), x[pool])
        v = expc_variance(k, len(pool), n, s_e2, float(np.var(y[S], ddof=1)))
        cover[t, 0] = abs(estimate - y.mean()) < stats.t.ppf(0.975, k - df) * math.sqrt(v)
        square[t, 0] = (estimate - y.mean()) ** 2, v
        s_z2 = float(np.var(z[S], ddof=1))
        low, high = wilson_neff(z[S].mean(), (1 / k - 1 / n) * s_z2, s_z2, k, n, k - 1, True)
        cover[t, 1] = low <= z.mean() <= high
        g = rng.normal(size=6)[strata] + rng.normal(size=len(strata))
        T = [rng.permutation(len(g))[:25], np.array(systematic_positions(len(g), 12, rng.random()))][t % 2]
        estimate, v = stratified_mean(g[T], strata[T], sizes)
        df = max(len(T) - len(set(strata[T])), 1)
        cover[t, 2] = abs(estimate - g.mean()) < stats.t.ppf(0.975, df) * math.sqrt(v)
        square[t, 1] = (estimate - g.mean()) ** 2, v
        value, v = harmonic_mean_delta(*rng.multivariate_normal([60, 40], [[9, 8], [8, 16]]), 9, 16, 8)
        cover[t, 3] = abs(value - 48) < 1.95996 * math.sqrt(v)
    print("95 % coverage expc, wilson (rate .95), stratified mean, harmonic mean:", np.round(cover.mean(axis=0), 3))
    squared, variance = square.mean(axis=0).T
    print("squared error / variance expc, stratified mean:", np.round(squared / variance, 3))


if __name__ == "__main__":
    generator = np.random.default_rng(0)
    _check_algebra(generator)
    _check_blup(generator, 2000)
    _check_components(generator, 200)
    _check_rest(generator, 2000)

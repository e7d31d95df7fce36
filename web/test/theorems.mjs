// SPDX-License-Identifier: Apache-2.0
// The key `claims` of a sample: twelve claims with every verdict, one that could not run, and T7 by its
// formula.
import {round} from "./rows.mjs";

const sources = {
  li: "Li, arXiv:2506.06398, section 5",
  geometry: "Cirrincione, arXiv:2604.05217, theorem 3",
  post: "Jane Street, Using group theory to explore the space of positional encodings for attention",
};
const holds = "holds",
  conditional = "holds under listed conditions",
  violated = "violated: counterexample",
  vacuous = "vacuous here";

const finding = (part, quantity, observed, bound, verdict, rest = {}) => ({
  part,
  quantity,
  observed,
  interval: null,
  lower: null,
  bound,
  verdict,
  remark: "",
  ...rest,
});

function claim(id, name, title, source, verdict, words, findings, rest = {}) {
  const [decisive] = findings;
  const {
    part = "",
    quantity = "",
    observed = null,
    interval = null,
    lower = null,
    bound = null,
  } = decisive ?? {};
  return {
    id,
    name,
    title,
    source,
    claim: words.claim,
    statement: words.statement ?? `${words.claim}, for every input that was drawn`,
    conditions: words.conditions ?? ["no mask", "weights shared by all positions", "arithmetic in double"],
    verdict,
    reason: words.reason,
    part,
    quantity,
    observed,
    interval,
    lower,
    bound,
    findings,
    figures: [],
    note: `docs/math/${name}.md`,
    ...rest,
  };
}

// One key of fifty moves from distance N = 50 to d, alpha = 0.1.
const alpha = 0.1,
  train = 50,
  to = 200;
const others = Array.from({length: train - 1}, (_, i) => Math.exp(-alpha * i)).reduce((a, b) => a + b, 0);
const weight = (d) => Math.exp(-alpha * d) / (Math.exp(-alpha * d) + others);
const change = (d) => round(weight(train) - weight(d));
const bound = (d) => round((alpha / 4) * (d - train));

function movedKeyFigure() {
  const distances = Array.from({length: 50}, (_, k) => train + 3 * (k + 1));
  return {
    title: "Change of one weight as its key moves away",
    x_label: "distance d",
    y_label: "change of the weight",
    log_x: false,
    log_y: true,
    curves: [
      {name: "observed", x: distances, y: distances.map(change)},
      {name: "published bound", x: distances, y: distances.map(bound)},
    ],
  };
}

function movedKeyFindings() {
  const remark = `the weight at distance N is ${weight(train).toPrecision(3)}, which bounds the change for every d`;
  return [
    finding(
      `${train} keys, alpha=${alpha}, d=${to}`,
      "change of the weight of the moved key",
      change(to),
      bound(to),
      vacuous,
      {remark},
    ),
    finding(`d=${train + 1}..${to}`, "largest change over bound", 0.0024, 1, holds),
    ...["constant", "log", "sqrt", "inverse"].map((schedule, k) =>
      finding(
        `schedule ${schedule}`,
        "total variation between the weights at lengths 50 and 200",
        0.1 * k,
        1,
        "not testable",
        {remark: "compared, no claim to test"},
      ),
    ),
  ];
}

// Zeros on a logarithmic axis, a logarithmic x axis, a gap.
const decayFigure = {
  title: "Distance to the last code",
  x_label: "position t",
  y_label: "distance",
  log_x: true,
  log_y: true,
  curves: [
    {name: "taps = 8", x: [1, 10, 100, 1000], y: [3, 0.5, null, 0]},
    {
      name: "taps = 16, a name that is long enough to be cut on a phone <i>",
      x: [1, 10, 100, 1000],
      y: [5, 2, 0.1, 0.002],
    },
    {name: "exp(-beta t)", x: [1, 10, 100, 1000], y: [1, 1e-3, 1e-12, 1e-20]},
  ],
};

const many = Array.from({length: 30}, (_, k) =>
  finding(`encoding ${k + 1}`, "max norm over 0..2N", round(1 + k / 7), 8, k < 29 ? holds : "not testable", {
    interval: k % 5 === 0 ? [1, 2 + k] : null,
    remark: k < 29 ? "hypothesis class: linear read-out" : "not applicable: needs a file",
  }),
);

function symmetries() {
  const {geometry} = sources;
  const equivariance = "max |f(PX) - P f(X)|";
  return [
    claim(
      "T1",
      "necessity",
      "Necessity of positions",
      geometry,
      conditional,
      {
        claim: "attention without a positional signal is permutation equivariant",
        reason: "without a mask the difference is 3.1e-15; a causal mask alone makes it 0.74",
      },
      [
        finding("no mask", equivariance, 3.1e-15, 1e-12, holds),
        finding("causal mask", equivariance, 0.74, 1e-12, violated, {remark: "outside the conditions"}),
      ],
    ),
    claim(
      "T1'",
      "residual_symmetry",
      "Residual symmetry",
      "this project",
      holds,
      {
        claim: "a bias in |lag| leaves reversal",
        reason: "both symmetries hold to 4e-16",
      },
      [finding("reversal", "max |f(RX) - R f(X)|", 4e-16, 1e-12, holds)],
    ),
    claim(
      "T2",
      "separation",
      "Separation of positions",
      geometry,
      conditional,
      {
        claim: "distinct positions get distinct vectors at every global minimiser",
        reason: "at eps=0.2 the smallest distance is 0.31; at eps=0 coincident minimisers exist",
      },
      [finding("eps=0.2", "min distance", 0.31, null, conditional, {interval: [0.27, 0.36], lower: 0.05})],
    ),
  ];
}

function geometries() {
  const {li, geometry} = sources;
  return [
    claim(
      "T3",
      "monotonicity",
      "Monotonicity",
      geometry,
      violated,
      {
        claim: "a larger Hellinger distance implies a larger learned distance",
        reason:
          "d_H(1,2)=0.1018 < d_H(1,3)=0.1108, but the learned distances are in the other order <b>early</b>",
      },
      [finding("softmax(W p)", "order violations", 1, 0, violated)],
    ),
    claim(
      "T4",
      "mds_optimality",
      "Optimality of classical scaling",
      geometry,
      violated,
      {
        claim: "classical MDS gives minimal stress",
        reason: "three points: classical MDS gives 0.167 at best, SMACOF 0.1111",
      },
      [finding("three points", "stress", 0.1667, 0.1111, violated)],
    ),
    claim(
      "T5",
      "rademacher",
      "Rademacher complexity",
      li,
      conditional,
      {
        claim: "the complexity is at most O(L B_0 / sqrt m)",
        reason: "for linear read-outs 0.071 lies below 0.089",
      },
      many,
    ),
  ];
}

function extrapolation() {
  const {li} = sources;
  return [
    claim(
      "T6",
      "universality",
      "Universality",
      li,
      conditional,
      {
        claim: "for fixed N every scheme is universal",
        reason: "memorised at N=4..8; logit-only encodings cannot fit y_t = t",
      },
      [finding("N=8", "training error", 2e-7, 1e-4, holds)],
    ),
    claim(
      "T7",
      "alibi_extrapolation",
      "ALiBi extrapolation",
      li,
      vacuous,
      {
        claim: "beyond the training length the error of ALiBi's attention grows at most linearly",
        statement:
          "|A(mu,-alpha d) - A(mu,-alpha N)| <= L_A alpha (d-N) for the weight A of a key that moves from distance N to d",
        reason:
          "the inequality is true, and at d=200 it allows 3.75 where the weight changes by 6.5e-4: a bound above 1 says nothing about a weight",
      },
      movedKeyFindings(),
      {figures: [movedKeyFigure()]},
    ),
    claim(
      "T8",
      "wavelet_decay",
      "Wavelet decay",
      li,
      violated,
      {
        claim: "the distance to the last code decays exponentially",
        reason: "it tends to the norm of the last code, 0.93, not to 0",
      },
      [finding("taps=8", "distance at 2N", 0.93, 1e-9, violated)],
      {figures: [decayFigure]},
    ),
    claim(
      "T9",
      "legendre_saturation",
      "Legendre saturation",
      li,
      holds,
      {
        claim: "norms stay bounded and the vector is constant for large t",
        reason: "with clamping the norm is 4 at every position beyond N",
      },
      [finding("clamped", "max norm", 4, 4, holds)],
    ),
  ];
}

function structure() {
  const {geometry, post} = sources;
  return [
    claim(
      "T10",
      "group",
      "Relative encodings are groups",
      post,
      "",
      {claim: "linear, invariant and continuous gives exp(tX)", reason: ""},
      [],
      {
        error: "the Schur form did not converge",
        note: "docs/math/a_note_that_nobody_wrote.md",
      },
    ),
    claim(
      "T11",
      "rank",
      "Rank of the Gram matrix",
      geometry,
      holds,
      {
        claim: "B has rank at most n - 1",
        reason: "rank 27 for n = 28",
      },
      [finding("n=28", "rank", 27, 27, holds)],
    ),
    claim(
      "T12",
      "no_free_lunch",
      "No free lunch",
      "arXiv:2603.02238",
      "not testable: cited, not computed",
      {
        claim: "no computable bound on length generalisation exists",
        reason: "an impossibility is cited, not computed",
      },
      [],
    ),
  ];
}

export const claimsOf = () => [...symmetries(), ...geometries(), ...extrapolation(), ...structure()];

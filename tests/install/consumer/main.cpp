// SPDX-License-Identifier: Apache-2.0
// A program outside the project: from a spec to a number, through the umbrella header alone.
#include <sextant/sextant.h>

#include <cstdio>

int main() {
  const auto encoding = sextant::encodings().make("alibi(slope=0.5)");
  const sextant::Extent extent{.positions = 16, .dim = 4};
  const sextant::Vector q(4, 1.0), k(4, 2.0);
  // q^T k = 8, and a bias of -0.5 for each of the 7 - 3 positions between them.
  std::printf("%.17g\n", sextant::fast_logit(encoding->effects(extent), 0, 7.0, 3.0, q, k));

  const sextant::Table table = sextant::make_table(*sextant::encodings().make("rope"),
                                                   {.kind = sextant::TableKind::kCos,
                                                    .positions = sextant::Positions::range(3),
                                                    .extent = extent});
  std::printf("%td x %td\n", table.shape[0], table.shape[1]);

  try {
    sextant::encodings().make("rpoe");
  } catch (const sextant::Error& error) {
    std::printf("%d\n", sextant::exit_status(error.code()));
  }
}

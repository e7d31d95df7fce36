// SPDX-License-Identifier: Apache-2.0
// Line plots for a terminal, in braille dots (2 x 4 per character) or in ASCII.
#pragma once

#include <string>
#include <vector>

namespace sextant {

// Points in the order in which they are joined. A y that is not finite interrupts the line.
struct PlotSeries {
  std::string label;
  std::vector<double> x, y;
};

struct PlotOptions {
  std::string title = {};    // one line above; empty: none
  std::string x_label = {};  // below the axis, with the tick labels
  int width = 80;            // columns in all
  int height = 12;           // lines of the drawing itself
  bool unicode = true;       // false: ASCII only
  bool color = false;        // one colour per series
};

// Lines, each ending in '\n'. Axes have round tick labels and cover all points; several series
// are labelled where they end. Series without a finite point are left out; with none left there
// is only the title. REQUIRES: x and y of a series have one length; x is finite.
std::string plot(const std::vector<PlotSeries>& series, const PlotOptions& options);

}  // namespace sextant

// SPDX-License-Identifier: Apache-2.0
// The answers of `sextant classify` for people.
#pragma once

#include <string>

#include "cli/output.h"
#include "report/plot.h"
#include "run/group_map.h"

namespace sextant::cli {

// Families, stability, horizons, conditioning.
std::string generator_text(const GeneratorClass& generator, const Style& style);

// The verdict with its reason and numbers; families or the realisation where there are some.
std::string maps_text(const MapTest& test, const Style& style);

// Ranks at each tolerance, exponents.
std::string certificate_text(const KernelCertificate& certificate, const Style& style);

// Of the trace of maps, one line: slow planes coincide in few samples, which is no verdict.
std::string ranks_text(const KernelCertificate& certificate);

// The encodings by their place.
std::string group_map_text(std::span<const GroupRow> rows, const Style& style);

// Curves against the lag, or against positions.
std::string lag_plot(const std::vector<PlotSeries>& series, std::string_view title,
                     const Style& style, std::string_view x_label = "lag");
PlotSeries lag_series(const std::string& label, std::span<const double> values);

}  // namespace sextant::cli

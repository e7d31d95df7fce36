// SPDX-License-Identifier: Apache-2.0
// Published numbers beside our own, for a terminal.
#pragma once

#include <span>
#include <string>

#include "cli/output.h"
#include "training/reproduction.h"

namespace sextant::cli {

// The tables with their sources and what they need.
std::string reproduction_list_text(const ReproductionRegistry& tables, const Style& style);

// Source and method, then each cell with its verdict and what other readings give.
std::string reproduction_text(const Reproduction& table, const Style& style);

// How often each verdict was given, and what --quick left out.
std::string reproduction_summary(std::span<const Reproduction> tables, const Style& style);

}  // namespace sextant::cli

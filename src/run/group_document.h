// SPDX-License-Identifier: Apache-2.0
// Groups as JSON: docs/groups.md. Infinite lags become null, which means "never".
#pragma once

#include "io/json.h"
#include "sextant/classify.h"

namespace sextant {

Json families_json(std::span<const BlockFamily> families);

// Everything about a generator but its verdict: families, stability, horizons, conditioning, ...
void add_generator(Json& document, const GeneratorClass& generator);

// verdict, reason, residuals and, where found, what add_generator() adds or the realisation.
void add_maps(Json& document, const MapTest& test);

// The recovered X, or C, X and B of the realisation, after add_maps().
void add_matrices(Json& document, const MapTest& test);

// hankel, toeplitz, exponents.
Json certificate_json(const KernelCertificate& certificate);

}  // namespace sextant

// SPDX-License-Identifier: Apache-2.0
// From means per lag to a verdict: the group law, the generator, or a realisation.
#pragma once

#include <optional>

#include "groups/lag_means.h"

namespace sextant {

// REQUIRES: lag 0 and a positive scalar lag were sampled. Fills all of `test` but its dim. `exact`
// is the generator where it is known: it then stands for the recovered one once the samples have
// confirmed the law and exp(lag X); where they miss it, it is left out with a warning. With several
// axes the generator is that of scalar positions, the sum of those of the axes; the law is tested
// on every sampled lag.
void decide(const LagMeans& means, const ClassifyOptions& options,
            const std::optional<Matrix>& exact, MapTest& test);

// Sets step, highest_frequency; verdict and reason of what is relative but no group.
void decide_realisation(const LagMeans& means, const ClassifyOptions& options,
                        const std::string& because, MapTest& test);

// False, with verdict and reason, where the forms are no function of the lag.
bool decide_relative(const LagMeans& means, const ClassifyOptions& options, MapTest& test);

// The same, with a progress that runs from `from` to 1 and never back.
ClassifyOptions rest_of(const ClassifyOptions& options, double from);

}  // namespace sextant

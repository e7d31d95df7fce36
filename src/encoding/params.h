// SPDX-License-Identifier: Apache-2.0
// Arguments of a spec against the ParamInfo of an encoding.
#pragma once

#include <string>
#include <string_view>

#include "sextant/registry.h"

namespace sextant {

// "spec 'rope(bse=1)': character 6", for messages.
std::string spec_place(std::string_view whole, Index at);

// The parameter of this name, or nullptr.
const ParamInfo* find_param(const EncodingInfo& info, std::string_view key);

// True where the term gives the key a value.
bool sets(const EncodingSpec::Term& term, std::string_view key);

// Whether the term gives neither the file that its encoding cannot do without nor a parameter that
// does as well.
bool lacks_file(const EncodingInfo& info, const EncodingSpec::Term& term);

// "generator needs file=FILE.npy or decay, frequency": what such a term lacks.
std::string needed_file(const EncodingInfo& info);

// Whether a term is learned and gives no values: part of what the encoding does is a first draw.
// REQUIRES: it comes from the catalogue.
bool is_initial_draw(const Encoding& encoding);

// Sets the training length where the encoding has one and the term does not set it: train has a
// default, a rule for positions asks for it, or it is the length of a table that is drawn.
void add_training_length(EncodingSpec::Term& term, Index train);

// The value as make() prints it again: numbers in their shortest form, words as they are. Throws
// kUsage, prefixed with `where`, for a value of the wrong kind or out of range.
std::string canonical_value(const ParamInfo& param, std::string_view value, std::string_view where);

}  // namespace sextant

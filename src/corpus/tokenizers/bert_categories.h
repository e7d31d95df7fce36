// SPDX-License-Identifier: Apache-2.0
// What BERT's basic tokenizer takes for a control character, an accent and a punctuation sign.
#pragma once

namespace sextant {

bool bert_is_other(char32_t c);        // Cc, Cf, Co
bool bert_is_nonspacing(char32_t c);   // Mn
bool bert_is_punctuation(char32_t c);  // P and every printable ASCII character but letters, digits

}  // namespace sextant

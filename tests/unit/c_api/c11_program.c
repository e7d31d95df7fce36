// SPDX-License-Identifier: Apache-2.0
// The C interface as a C11 compiler sees it: every struct and one function of each kind. Ends with
// the number of the first line whose expectation fails, or with 0.
#include <sextant/sextant_c.h>
#include <stddef.h>
#include <string.h>

#define EXPECT(holds) \
  if (!(holds)) return __LINE__ % 256

static int rotary_works(void) {
  sextant_rotary* rotary = NULL;
  sextant_turns* turns = NULL;
  float values[4] = {1.0f, 2.0f, 3.0f, 4.0f};
  const sextant_heads_view view = {.data = values,
                                   .dtype = SEXTANT_F32,
                                   .tokens = 1,
                                   .heads = 1,
                                   .dim = 4,
                                   .token_stride = 4,
                                   .head_stride = 4};
  EXPECT(sextant_rotary_make("rope", 4, &rotary) == SEXTANT_OK);
  EXPECT(sextant_turns_range(rotary, 0, 1, 0, &turns) == SEXTANT_OK);
  EXPECT(sextant_apply_to_keys(turns, &view, &view, 0, 1) == SEXTANT_OK);
  EXPECT(values[0] == 1.0f && values[3] == 4.0f);  // nothing turns at position 0
  sextant_turns_free(turns);
  sextant_rotary_free(rotary);
  return 0;
}

static int bias_works(void) {
  sextant_bias* bias = NULL;
  float logit = 1.0f;
  const sextant_logit_tile tile = {
      .data = &logit, .rows = 1, .cols = 1, .stride = 1, .first_query = 3};
  EXPECT(sextant_bias_make("alibi(slope=0.5)", 1, 4, 64, &bias) == SEXTANT_OK);
  EXPECT(sextant_bias_add_to(bias, &tile) == SEXTANT_OK);
  EXPECT(logit == -0.5f);
  sextant_bias_free(bias);
  return 0;
}

static int table_works(void) {
  const sextant_table_request request = {.spec = "rope",
                                         .kind = SEXTANT_INV_FREQ,
                                         .dtype = SEXTANT_F32,
                                         .dim = 2,
                                         .heads = 1,
                                         .length = 1};
  sextant_table* table = NULL;
  float frequency = 0.0f;
  EXPECT(sextant_table_range(&request, 0.0, 1, &table) == SEXTANT_OK);
  EXPECT(sextant_table_write(table, &frequency, sizeof frequency, 1) == SEXTANT_OK);
  EXPECT(frequency == 1.0f);
  sextant_table_free(table);
  return 0;
}

int main(void) {
  int64_t encodings = 0;
  EXPECT(sextant_c_abi_version() == SEXTANT_C_ABI_VERSION);
  EXPECT(sextant_encoding_count(&encodings) == SEXTANT_OK && encodings > 0);
  EXPECT(sextant_encoding_count(NULL) == SEXTANT_USAGE);
  EXPECT(strcmp(sextant_last_error(), "count: must not be null") == 0);
  int line = rotary_works();
  if (line == 0) line = bias_works();
  if (line == 0) line = table_works();
  return line;
}

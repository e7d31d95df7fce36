// SPDX-License-Identifier: Apache-2.0
// Causal attention of a few tokens with RoPE on queries and keys and ALiBi on the logits.
// attention.cpp is the same in C++ and prints the same.
#include <math.h>
#include <sextant/sextant_c.h>
#include <stdio.h>
#include <stdlib.h>

enum { TOKENS = 6, HEADS = 2, DIM = 8, FIRST = 100, VALUES = TOKENS * HEADS * DIM };

static void check(sextant_status status) {
  if (status == SEXTANT_OK) return;
  fprintf(stderr, "%s\n", sextant_last_error());
  exit(status);
}

// [tokens, heads, dim]: any numbers do.
static void fill_numbers(float* values, int step) {
  for (int i = 0; i < VALUES; ++i) values[i] = (float)(i * step % 17) / 8.0f - 1.0f;
}

static const float* at(const float* values, int token, int head) {
  return values + (token * HEADS + head) * DIM;
}

static sextant_heads_view view_of(float* values) {
  return (sextant_heads_view){.data = values,
                              .dtype = SEXTANT_F32,
                              .tokens = TOKENS,
                              .heads = HEADS,
                              .dim = DIM,
                              .token_stride = HEADS * DIM,
                              .head_stride = DIM};
}

// Queries and keys receive what their positions say.
static void turn(float* q, float* k) {
  sextant_rotary* rotary = NULL;
  sextant_turns* turns = NULL;
  const sextant_heads_view q_view = view_of(q), k_view = view_of(k);
  check(sextant_rotary_make("rope", DIM, &rotary));
  check(sextant_turns_range(rotary, FIRST, TOKENS, 0, &turns));
  check(sextant_apply_to_queries(turns, &q_view, &q_view, 0, 1));
  check(sextant_apply_to_keys(turns, &k_view, &k_view, 0, 1));
  sextant_turns_free(turns);
  sextant_rotary_free(rotary);
}

// Turns logits into weights.
static void softmax(float* logits, int count) {
  float largest = logits[0], sum = 0.0f;
  for (int i = 1; i < count; ++i) largest = fmaxf(largest, logits[i]);
  for (int i = 0; i < count; ++i) sum += logits[i] = expf(logits[i] - largest);
  for (int i = 0; i < count; ++i) logits[i] /= sum;
}

int main(void) {
  float q[VALUES], k[VALUES], v[VALUES];
  fill_numbers(q, 5);
  fill_numbers(k, 7);
  fill_numbers(v, 11);
  turn(q, k);

  sextant_bias* bias = NULL;
  check(sextant_bias_make("alibi", HEADS, FIRST + TOKENS, DIM, &bias));
  for (int head = 0; head < HEADS; ++head) {
    double checksum = 0.0;  // token n and coordinate i weigh (n + 1) (i + 1)
    for (int n = 0; n < TOKENS; ++n) {
      float logits[TOKENS];
      for (int m = 0; m <= n; ++m) {
        float product = 0.0f;
        for (int i = 0; i < DIM; ++i) product += at(q, n, head)[i] * at(k, m, head)[i];
        logits[m] = product / sqrtf((float)DIM);
      }
      const sextant_logit_tile tile = {.data = logits,
                                       .rows = 1,
                                       .cols = n + 1,
                                       .stride = n + 1,
                                       .head = head,
                                       .first_query = FIRST + n,
                                       .first_key = FIRST};
      check(sextant_bias_add_to(bias, &tile));
      softmax(logits, n + 1);
      for (int m = 0; m <= n; ++m)
        for (int i = 0; i < DIM; ++i)
          checksum += (double)((n + 1) * (i + 1)) * logits[m] * at(v, m, head)[i];
    }
    printf("head %d: %.3f\n", head, checksum);
  }
  sextant_bias_free(bias);
  return 0;
}

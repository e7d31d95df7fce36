// SPDX-License-Identifier: Apache-2.0
// The kernels and tables of Sextant for programs in C, and for languages that call C.
//
// Every function that can fail returns a status, SEXTANT_OK or what went wrong, and leaves one line
// of text for sextant_last_error(). No exception leaves them. A null pointer is SEXTANT_USAGE with
// the name of the argument, except for the *_free functions, which do nothing then. A function that
// makes a handle sets it to NULL when it fails.
//
// Handles do not change once made: any number of threads may use one. Who made it frees it, after
// its last use; a handle does not need those that it was made from.
//
// Sizes are int64_t and checked: negative ones are SEXTANT_USAGE. What cannot be checked is that
// the caller's memory is as large as the sizes say.
#ifndef SEXTANT_SEXTANT_C_H_
#define SEXTANT_SEXTANT_C_H_

#include <stdint.h>

// Names as C has them. NOLINTBEGIN(readability-identifier-naming,modernize-*)
#ifdef __cplusplus
extern "C" {
#endif

// Grows when a struct or a function of this file changes. A program may compare the header that it
// was compiled with to the library that it runs with.
#define SEXTANT_C_ABI_VERSION 1
int32_t sextant_c_abi_version(void);
// The release: "0.1.0".
const char* sextant_version(void);

// One for each code of sextant/error.h; the numbers are the exit statuses of docs/errors.md.
typedef enum sextant_status {
  SEXTANT_OK = 0,
  SEXTANT_USAGE = 2,       // the call is wrong: a name, a parameter, a size, a pointer
  SEXTANT_MALFORMED = 3,   // a file that a spec names breaks the rules of its format
  SEXTANT_UNREADABLE = 4,  // a file that a spec names cannot be read
  SEXTANT_REFUSED = 5,     // the work does not fit the memory
  SEXTANT_UNWRITABLE = 6,
  SEXTANT_NUMERIC = 7,  // a result is not finite
  SEXTANT_CHECKPOINT = 9,
  SEXTANT_RANK_LOST = 10,
  SEXTANT_INTERNAL = 70  // a defect of the library
} sextant_status;

// "where: what is wrong" of the last call in this thread that failed; "" before any did. Valid
// until the next call of this thread fails.
const char* sextant_last_error(void);

// The names of the encodings, in alphabetical order: index 0 to count - 1. They live as long as the
// program. What a name takes in parentheses is what `sextant encodings NAME` prints.
sextant_status sextant_encoding_count(int64_t* count);
sextant_status sextant_encoding_name(int64_t index, const char** name);

// Values of sextant_heads_view.dtype and sextant_table_request.dtype.
typedef int32_t sextant_dtype;
enum { SEXTANT_F64 = 0, SEXTANT_F32 = 1, SEXTANT_F16 = 2, SEXTANT_BF16 = 3 };

// ---------------------------------------------------------------------------------------------
// Rotation of queries and keys; sextant/rotary.h says more.

// A rule, once per model: "rope(base=500000)" for heads of head_dim values. A rule that depends on
// the current length takes it in its spec (length=...).
typedef struct sextant_rotary sextant_rotary;
sextant_status sextant_rotary_make(const char* spec, int64_t head_dim, sextant_rotary** made);
// The rule that takes keys turned by `from` to keys turned by `to`: for caches when the scaling
// changes.
sextant_status sextant_rotary_between(const sextant_rotary* from, const sextant_rotary* to,
                                      sextant_rotary** made);
// Coordinates of a position: 1, or those of a rule with sections.
sextant_status sextant_rotary_axes(const sextant_rotary* rotary, int64_t* axes);
void sextant_rotary_free(sextant_rotary* rotary);

// What the tokens of one batch receive, once for all heads and layers. `positions` is
// [tokens, axes], each in [0, 2^31); axes is 1, which counts on every axis, or that of the rule.
// Positions count from `origin`: 0, or a place near them for rules that grow or shrink.
typedef struct sextant_turns sextant_turns;
sextant_status sextant_turns_at(const sextant_rotary* rotary, const int64_t* positions,
                                int64_t tokens, int64_t axes, int64_t origin, sextant_turns** made);
// Tokens at first, first + 1, ..., first + count - 1.
sextant_status sextant_turns_range(const sextant_rotary* rotary, int64_t first, int64_t count,
                                   int64_t origin, sextant_turns** made);
void sextant_turns_free(sextant_turns* turns);

// Value i of head h of token n is element n * token_stride + h * head_stride + i of `data`.
typedef struct sextant_heads_view {
  void* data;
  sextant_dtype dtype;  // SEXTANT_F32, SEXTANT_F16 or SEXTANT_BF16
  int64_t tokens;
  int64_t heads;
  int64_t dim;
  int64_t token_stride;  // in elements
  int64_t head_stride;
} sextant_heads_view;

// out = what queries or keys receive, from `in`; `in` is not written unless it is `out`. In place
// where the two views are equal, out of place where they do not overlap. backward = 1 is the
// transposed map, for gradients; else 0. `threads` is 1 to 1024.
sextant_status sextant_apply_to_queries(const sextant_turns* turns, const sextant_heads_view* in,
                                        const sextant_heads_view* out, int32_t backward,
                                        int64_t threads);
sextant_status sextant_apply_to_keys(const sextant_turns* turns, const sextant_heads_view* in,
                                     const sextant_heads_view* out, int32_t backward,
                                     int64_t threads);

// ---------------------------------------------------------------------------------------------
// Biases of the lag: ALiBi, T5, KERPLE; sextant/bias.h says more.

// For queries and keys at positions 0 .. length - 1. `head_dim` matters to the other parts of a
// spec such as "rope+alibi", never to the bias.
typedef struct sextant_bias sextant_bias;
sextant_status sextant_bias_make(const char* spec, int64_t heads, int64_t length, int64_t head_dim,
                                 sextant_bias** made);
void sextant_bias_free(sextant_bias* bias);

// Some logits of one head: that of query first_query + i and key first_key + j is
// data[i * stride + j].
typedef struct sextant_logit_tile {
  float* data;
  int64_t rows;
  int64_t cols;
  int64_t stride;  // in elements, at least cols
  int64_t head;
  int64_t first_query;
  int64_t first_key;
} sextant_logit_tile;

// tile += bias and tile = bias.
sextant_status sextant_bias_add_to(const sextant_bias* bias, const sextant_logit_tile* tile);
sextant_status sextant_bias_write(const sextant_bias* bias, const sextant_logit_tile* tile);

// [heads, rows, cols] for queries first_query .. and keys first_key .., contiguous; `count` is the
// number of values in `out`. `threads` is 1 to 1024.
sextant_status sextant_bias_fill(const sextant_bias* bias, int64_t first_query, int64_t rows,
                                 int64_t first_key, int64_t cols, float* out, int64_t count,
                                 int64_t threads);

// linear = 1 and the bias is -slopes[head] |lag| for lags at least 0; or linear = 0 and slopes are
// not written. `count` is the number of values in `slopes`: the heads.
sextant_status sextant_bias_slopes(const sextant_bias* bias, float* slopes, int64_t count,
                                   int32_t* linear);

// ---------------------------------------------------------------------------------------------
// Encodings as arrays; sextant/table.h says more.

// n positions, d = dim. Values of sextant_table_request.kind.
enum {
  SEXTANT_ROWS = 0,      // input table, [n, d]
  SEXTANT_COS = 1,       // magnitude cos(t w), [n, pairs]
  SEXTANT_SIN = 2,       // magnitude sin(t w), [n, pairs]
  SEXTANT_INV_FREQ = 3,  // w, [pairs]
  SEXTANT_BIAS = 4,      // logit bias, [heads, n, n], query before key
  SEXTANT_MATRIX = 5     // the operator at a lag, [n, d, d]
};

typedef struct sextant_table_request {
  const char* spec;
  int32_t kind;
  sextant_dtype dtype;
  int64_t dim;
  int64_t heads;
  int64_t length;  // the current sequence length, for rules that depend on it
} sextant_table_request;

// A table that is known but not yet made: ask for its shape and its bytes, then have it written.
typedef struct sextant_table sextant_table;
// At first, first + 1, ... (count of them).
sextant_status sextant_table_range(const sextant_table_request* request, double first,
                                   int64_t count, sextant_table** made);
// At any positions, [count, axes] row by row; axes is 1 to 4. They are copied.
sextant_status sextant_table_at(const sextant_table_request* request, const double* positions,
                                int64_t count, int64_t axes, sextant_table** made);
void sextant_table_free(sextant_table* table);

// shape[0] .. shape[rank - 1], row-major; what is left of the three is 1.
sextant_status sextant_table_shape(const sextant_table* table, int64_t shape[3], int32_t* rank);
sextant_status sextant_table_bytes(const sextant_table* table, uint64_t* bytes);
// `bytes` is the size of `out`: that of the table. `out` is aligned for its values. `threads` is 1
// to 1024. After an error the content of `out` is undefined.
sextant_status sextant_table_write(const sextant_table* table, void* out, uint64_t bytes,
                                   int64_t threads);

#ifdef __cplusplus
}
#endif
// NOLINTEND(readability-identifier-naming,modernize-*)

#endif  // SEXTANT_SEXTANT_C_H_

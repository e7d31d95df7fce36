// SPDX-License-Identifier: Apache-2.0
#include "run/slepc_spectrum.h"

#include <slepceps.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <utility>

#include "base/check.h"
#include "base/rng.h"
#include "geometry/row_spectrum.h"
#include "math/spectrum.h"

namespace sextant {
namespace {

constexpr double kTolerance = 1e-12;  // residual over the largest eigenvalue
constexpr PetscInt kMostRestarts = 2000;
constexpr std::uint64_t kStartSeed = 0x736c657063;
constexpr double kSameEigenvalue = 1e-10;  // over the largest

void check(PetscErrorCode code) {
  if (code == 0) return;
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  fail(ErrorCode::kNumeric, "slepc", "{}", text == nullptr ? "unknown error" : text);
}

// SLEPc without our arguments, without its signal handlers and its files of options; its errors are
// codes, not texts on stderr.
class Session {
 public:
  Session() {
    check(PetscOptionsSetValue(nullptr, "-no_signal_handler", "1"));
    check(PetscOptionsSetValue(nullptr, "-skip_petscrc", "1"));
    check(SlepcInitialize(nullptr, nullptr, nullptr, nullptr));
    check(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  }
  // All ranks end SLEPc together. One that leaves by an exception may be alone: the others would
  // never come, and the job ends with its message.
  ~Session() {
    if (std::uncaught_exceptions() > 0) return;
    PetscPopErrorHandler();
    SlepcFinalize();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

template <typename Handle, PetscErrorCode (*kDestroy)(Handle*)>
class Owned {
 public:
  Owned() = default;
  ~Owned() {
    if (handle_ != nullptr) kDestroy(&handle_);
  }
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  operator Handle() const { return handle_; }  // NOLINT: as the library's own handles are used
  Handle* out() { return &handle_; }

 private:
  Handle handle_ = nullptr;
};
using OwnedMat = Owned<Mat, MatDestroy>;
using OwnedVec = Owned<Vec, VecDestroy>;
using OwnedEps = Owned<EPS, EPSDestroy>;

// What the callbacks of SLEPc work on. An exception cannot pass through it: it waits here.
struct Problem {
  const RowOperator& product;
  const PositionRows& rows;
  Communicator& ranks;
  double largest = 0.0;  // eigenvalue seen so far
  std::exception_ptr error = {};

  // x minus its mean over all ranks. Returns its length.
  double centre(std::span<double> x) const {
    double sums[1] = {0.0};
    for (const double value : x) sums[0] += value;
    ranks.sum(sums);
    const double mean = sums[0] / static_cast<double>(rows.rows());
    double squares[1] = {0.0};
    for (double& value : x) {
      value -= mean;
      squares[0] += value * value;
    }
    ranks.sum(squares);
    return std::sqrt(squares[0]);
  }
};

PetscErrorCode multiply_shell(Mat matrix, Vec x, Vec y) {
  Problem* problem = nullptr;
  if (const PetscErrorCode code = MatShellGetContext(matrix, &problem); code != 0) return code;
  const auto size = static_cast<std::size_t>(problem->rows.own().rows());
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  if (const PetscErrorCode code = VecGetArrayRead(x, &from); code != 0) return code;
  Vector centred(from, from + size);
  if (const PetscErrorCode code = VecRestoreArrayRead(x, &from); code != 0) return code;
  if (const PetscErrorCode code = VecGetArrayWrite(y, &to); code != 0) return code;
  try {
    const double length = problem->centre(centred);
    problem->product.multiply(centred, length * (1.0 + 1e-12), std::span(to, size));
    problem->centre(std::span(to, size));
  } catch (...) {
    problem->error = std::current_exception();
    return PETSC_ERR_LIB;
  }
  return VecRestoreArrayWrite(y, &to);
}

// Residuals count against the largest eigenvalue: those of eigenvalue 0 would never be small.
PetscErrorCode relative_to_largest(EPS, PetscScalar value, PetscScalar, PetscReal residual,
                                   PetscReal* estimate, void* context) {
  auto* const problem = static_cast<Problem*>(context);
  problem->largest = std::max(problem->largest, std::abs(value));
  *estimate = problem->largest > 0.0 ? residual / problem->largest : residual;
  return 0;
}

struct Eigenpair {
  double value = 0.0;
  OwnedVec vector;
};

// The `count` largest eigenpairs orthogonal to those that are known.
std::vector<Eigenpair> solve(Problem& problem, Mat matrix, PetscInt count, std::uint64_t stream,
                             std::span<const Eigenpair> known) {
  OwnedVec start;
  check(MatCreateVecs(matrix, start.out(), nullptr));
  PetscScalar* values = nullptr;
  check(VecGetArrayWrite(start, &values));
  const PackedRows& own = problem.rows.own();
  const Rng rng(kStartSeed, stream);
  for (Index i = own.first; i < own.last(); ++i)
    values[i - own.first] = rng.uniform(static_cast<std::uint64_t>(i)) - 0.5;
  check(VecRestoreArrayWrite(start, &values));

  OwnedEps eps;
  check(EPSCreate(PETSC_COMM_WORLD, eps.out()));
  check(EPSSetOperators(eps, matrix, nullptr));
  check(EPSSetProblemType(eps, EPS_HEP));
  check(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  check(EPSSetDimensions(eps, count, PETSC_DEFAULT, PETSC_DEFAULT));
  check(EPSSetTolerances(eps, kTolerance, kMostRestarts));
  check(EPSSetConvergenceTestFunction(eps, relative_to_largest, &problem, nullptr));
  std::vector<Vec> deflated;
  for (const Eigenpair& pair : known) deflated.push_back(pair.vector);
  if (!deflated.empty())
    check(EPSSetDeflationSpace(eps, static_cast<PetscInt>(deflated.size()), deflated.data()));
  Vec first = start;
  check(EPSSetInitialSpace(eps, 1, &first));
  const PetscErrorCode code = EPSSolve(eps);
  if (problem.error) std::rethrow_exception(problem.error);
  check(code);
  PetscInt found = 0;
  check(EPSGetConverged(eps, &found));
  if (found < count)
    fail(ErrorCode::kNumeric, "slepc", "{} of {} eigenpairs after {} restarts", found, count,
         kMostRestarts);
  std::vector<Eigenpair> pairs(static_cast<std::size_t>(count));
  for (PetscInt k = 0; k < count; ++k) {
    Eigenpair& pair = pairs[static_cast<std::size_t>(k)];
    check(MatCreateVecs(matrix, pair.vector.out(), nullptr));
    check(EPSGetEigenpair(eps, k, &pair.value, nullptr, pair.vector, nullptr));
  }
  return pairs;
}

// One vector grows the space, so that copies of a multiple eigenvalue may be missed: what was found
// is taken out and the search starts again, until nothing comes that belongs among the first.
std::vector<Eigenpair> solve_with_copies(Problem& problem, Mat matrix, Index count) {
  std::vector<Eigenpair> all = solve(problem, matrix, static_cast<PetscInt>(count), 0, {});
  for (std::uint64_t stream = 1;; ++stream) {
    const Index left = problem.rows.rows() - static_cast<Index>(all.size());
    if (left == 0) break;
    const auto larger = [](const Eigenpair& a, const Eigenpair& b) { return a.value > b.value; };
    std::ranges::stable_sort(all, larger);
    const double least = all[static_cast<std::size_t>(count) - 1].value;
    std::vector<Eigenpair> more =
        solve(problem, matrix, static_cast<PetscInt>(std::min(count, left)), stream, all);
    std::ranges::stable_sort(more, larger);
    const bool complete = more.front().value <= least + kSameEigenvalue * problem.largest;
    for (Eigenpair& pair : more) all.push_back(std::move(pair));
    std::ranges::stable_sort(all, larger);
    if (complete) break;
  }
  all.resize(static_cast<std::size_t>(count));
  return all;
}

// The eigenpairs on rank 0, in the form that Spectrum promises.
Spectrum collected(const Problem& problem, std::span<const Eigenpair> pairs) {
  const Index n = problem.rows.rows(), count = static_cast<Index>(pairs.size());
  const auto own = static_cast<std::size_t>(problem.rows.own().rows());
  Vector values;
  Columns vectors(n, count);
  for (Index k = 0; k < count; ++k) {
    const Eigenpair& pair = pairs[static_cast<std::size_t>(k)];
    values.push_back(pair.value);
    const PetscScalar* numbers = nullptr;
    check(VecGetArrayRead(pair.vector, &numbers));
    const std::vector<std::vector<std::byte>> parts =
        problem.ranks.gather_all(std::as_bytes(std::span(numbers, own)));
    check(VecRestoreArrayRead(pair.vector, &numbers));
    std::byte* to = reinterpret_cast<std::byte*>(vectors.col(k));
    for (const std::vector<std::byte>& part : parts) to = std::ranges::copy(part, to).out;
  }
  return to_spectrum(values, vectors, false);
}

}  // namespace

Spectrum slepc_spectrum(const RowOperator& product, const PositionRows& rows, Communicator& ranks,
                        Index count) {
  const Session session;
  Problem problem{.product = product, .rows = rows, .ranks = ranks};
  const auto own = static_cast<PetscInt>(rows.own().rows());
  const auto n = static_cast<PetscInt>(rows.rows());
  OwnedMat matrix;
  check(MatCreateShell(PETSC_COMM_WORLD, own, own, n, n, &problem, matrix.out()));
  check(MatShellSetOperation(matrix, MATOP_MULT, reinterpret_cast<void (*)()>(multiply_shell)));
  Spectrum found = collected(problem, solve_with_copies(problem, matrix, count));
  found.multiplicity_certified = false;
  return checked_spectrum(product, ranks, std::move(found));
}

}  // namespace sextant

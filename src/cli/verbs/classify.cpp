// SPDX-License-Identifier: Apache-2.0
// sextant classify: which one-parameter group a generator, an encoding, a pair of sampled maps or a
// kernel is, or that it is none.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/text.h"
#include "cli/classify_text.h"
#include "cli/map_files.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/table_file.h"
#include "run/classify_document.h"

namespace sextant::cli {
namespace {

struct Options {
  std::string subject, kernel, at, nearest, output;
  std::vector<std::string> maps;
  std::optional<Index> dim, heads;
  std::optional<double> noise;
  bool all = false, two_sided = false, force = false;
};

struct Job {
  const Options& options;
  const Globals& globals;
  Style style;
  ClassifyOptions classify;
};

void write_matrix(const Job& job, const Matrix& matrix, const std::string& name) {
  if (job.options.output.empty()) return;
  std::vector<std::string> inputs = job.options.maps;
  inputs.insert(inputs.end(), {job.options.subject, job.options.at});
  refuse_input_as_output(job.options.output, inputs);
  AtomicFile file(job.options.output,
                  job.options.force ? AtomicFile::Existing::kReplace : AtomicFile::Existing::kKeep);
  write_table(file, table_format(job.options.output, 2), table_of(matrix), name, {});
  file.commit();
  note(job.globals, fmt::format("{} written to {}", name, path_text(job.options.output)));
}

// trace exp(lag X) / d at lags 0, 1, ...: the mean logit of a random unit vector q = k. The blocks
// give it without an exponential; ends where it overflows.
Vector trace_curve(const GeneratorClass& generator) {
  Vector curve;
  for (Index lag = 0; lag < kClassifyPositions; ++lag) {
    const auto tau = static_cast<double>(lag);
    double trace = 0.0;
    for (const BlockFamily& family : generator.families)
      trace += static_cast<double>(family.dim()) * std::exp(family.decay * tau) *
               std::cos(family.frequency * tau);
    if (!std::isfinite(trace)) break;
    curve.push_back(trace / static_cast<double>(generator.dim));
  }
  return curve;
}

int show(const Job& job, const Json& document, const std::string& text) {
  print(job.globals.json ? to_text(document) : text);
  return 0;
}

// X.npy --nearest rotation: the closest member of the family, in this basis.
void add_nearest(const Job& job, const Matrix& x, Json& document, std::string& text) {
  const NearestStudy study = study_nearest(x, job.options.nearest);
  document["nearest"] = nearest_json(study);
  text += fmt::format("\nThe nearest {} is {:.3g} % of |X| away: {}\n", name(study.kind),
                      100.0 * study.nearest.residual, describe(study.nearest.families));
  write_matrix(job, study.nearest.x, "nearest");
}

std::string generators_text(const Job& job, const GeneratorStudy& study) {
  const std::size_t count = study.axes.size();
  const Index dim = study.axes.front().dim;
  std::string text =
      fmt::format("{}  {} x {} generator: {}\n", job.style.bold(path_text(job.options.subject)),
                  dim, dim, job.style.bold(study.commute ? "group" : "not relative"));
  if (count > 1)
    text += fmt::format(
        "{} generators, largest |XY-YX|/(|X||Y|) = {:.3g}: {}\n", count, study.commutator,
        study.commute ? "they commute" : "only approximately relative, as LieRE is");
  for (std::size_t axis = 0; axis < count; ++axis) {
    if (count > 1) text += fmt::format("\nAxis {}\n", axis);
    text += generator_text(study.axes[axis], job.style);
  }
  return text + "\n" +
         lag_plot({lag_series("", trace_curve(study.axes.front()))},
                  "trace exp(lag X) / d: mean logit of a random unit q = k", job.style);
}

int classify_file(const Job& job) {
  const std::vector<Matrix> generators = read_generators(job.options.subject);
  require(generators.size() == 1 || job.options.nearest.empty(), "--nearest",
          "takes one generator but got {}", generators.size());
  Progress progress(job.globals);
  progress.stage("classifying");
  ClassifyOptions options = job.classify;
  options.progress = [&progress](double part) { progress.part(part); };
  const GeneratorStudy study = study_generators(generators, options);
  progress.clear();
  Json document = generators_document(study);
  std::string text = generators_text(job, study);
  if (!job.options.nearest.empty()) add_nearest(job, generators.front(), document, text);
  return show(job, document, text);
}

int classify_encoding(const Job& job) {
  const Options& options = job.options;
  if (const std::string reason = content_dependent(options.subject); !reason.empty()) {
    return show(
        job, content_document(options.subject, reason),
        fmt::format("{}: {}\n{}\n", job.style.bold(options.subject),
                    name(MapVerdict::kContentDependent), wrapped(reason, output_width(), 0)));
  }
  const auto [row, extent] =
      study_encoding(options.subject, options.dim, options.heads, job.classify);
  std::string text =
      fmt::format("{}  {}, {} dimensions\n", job.style.bold(row.encoding), row.title, extent.dim) +
      maps_text(row.test, job.style);
  if (row.certificate)
    text += row.bias_alone ? "\n" + certificate_text(*row.certificate, job.style)
                           : ranks_text(*row.certificate);
  if (!row.kernel.empty())
    text += "\n" + lag_plot({lag_series("", row.kernel)}, "the kernel against the lag", job.style);
  return show(job, encoding_document(row), text);
}

int classify_maps(const Job& job) {
  const MapTest test =
      test_maps(read_maps(job.options.maps[0], job.options.maps[1], job.options.at), job.classify);
  if (test.generator) write_matrix(job, *test.generator, "generator");
  if (!test.generator && test.realisation) write_matrix(job, test.realisation->x, "generator");
  require(job.options.output.empty() || test.generator || test.realisation, "--output",
          "there is no generator to write: {}", test.reason);
  return show(job, maps_document(test), maps_text(test, job.style));
}

int classify_kernel(const Job& job) {
  const KernelSamples samples = read_kernel(job.options.kernel, job.options.two_sided);
  const KernelCertificate found = certify_kernel(samples.behind, samples.ahead, job.classify);
  Json document = kernel_document(found);
  std::string text = certificate_text(found, job.style);
  std::vector<PlotSeries> curves = {lag_series("given", samples.behind)};
  if (!job.options.nearest.empty()) {
    const NearestKernel nearest =
        nearest_kernel(samples.behind, FamilyShape::parse(job.options.nearest));
    document["nearest"] = nearest_kernel_json(job.options.nearest, nearest);
    text += fmt::format("\nTo {:.3g} % this kernel is {}\n", 100.0 * nearest.residual,
                        describe(nearest.blocks));
    curves.push_back(lag_series("nearest", nearest.fitted));
  }
  return show(job, document, text + "\n" + lag_plot(curves, "the kernel", job.style));
}

int classify_all(const Job& job) {
  const std::vector<GroupRow> rows = group_map(job.classify, job.globals.threads);
  return show(job, catalogue_document(rows), group_map_text(rows, job.style));
}

int run(const Options& options, const Globals& globals) {
  const int subjects = static_cast<int>(!options.subject.empty()) +
                       static_cast<int>(!options.kernel.empty()) +
                       static_cast<int>(!options.maps.empty()) + static_cast<int>(options.all);
  require(subjects == 1, "classify",
          "one of X.npy, SPEC, --kernel, --maps and --all must be given but got {}", subjects);
  Job job{options, globals, Style(globals.color), {}};
  if (options.noise) job.classify.noise = *options.noise;
  require(job.classify.noise > 0.0 && job.classify.noise < 1.0, "--noise",
          "must be above 0 and below 1 but got {}", job.classify.noise);
  const bool file = names_array(options.subject), maps = !options.maps.empty();
  const bool kernel = !options.kernel.empty(), spec = !options.subject.empty() && !file;
  require(options.at.empty() || maps, "--at", "goes with --maps");
  require(!options.two_sided || kernel, "--two-sided", "goes with --kernel");
  require(options.nearest.empty() || file || (kernel && !options.two_sided), "--nearest",
          "goes with X.npy or a one-sided --kernel");
  require(options.output.empty() || maps || (file && !options.nearest.empty()), "--output",
          "goes with --maps, or with X.npy and --nearest");
  require(!(options.dim || options.heads) || spec, "classify", "--dim and --heads go with SPEC");
  if (maps) return classify_maps(job);
  if (kernel) return classify_kernel(job);
  if (options.all) return classify_all(job);
  return file ? classify_file(job) : classify_encoding(job);
}

}  // namespace

void register_classify(VerbRegistry& verbs) {
  Verb& verb =
      verbs.add("classify", "Say which one-parameter group something is, or that it is none");
  const auto options = std::make_shared<Options>();
  CLI::App& app = *verb.app;
  add_text(app, "SUBJECT", options->subject, "SPEC",
           "A generator X.npy ([d, d], or [axes, d, d]), or an encoding: rope, xpos, alibi");
  add_texts(app, "--maps", options->maps, "FILE",
            "Sampled maps F.npy and G.npy, [n, d, d] each: q' = F(s) q, k' = G(t) k; with "
            "[contents, n, d, d] also whether they depend on the content",
            2);
  add_text(app, "--at", options->at, "FILE",
           "Positions of the maps, [n] or [n, axes] (default 0, 1, ...)");
  add_text(app, "--kernel", options->kernel, "FILE",
           "A kernel by lag, [n]: certified by its Hankel matrix");
  add_flag(app, "--two-sided", options->two_sided,
           "The kernel has 2n-1 lags with lag 0 in the middle");
  add_flag(app, "--all", options->all, "The whole catalogue as a map of families");
  add_number(app, "--noise", options->noise,
             "Relative noise of the numbers given (default 1e-12; about 1e-7 for f32)");
  add_text(app, "--nearest", options->nearest, "FAMILY",
           "The nearest member of a family: for X none, decay, growth, rotation or spiral; for a "
           "kernel a sum such as spiral+jordan(2) or rotation*3+decay");
  add_integer(app, "--dim", options->dim, 1, kMostDim,
              fmt::format("Width of queries and keys (default {})", kClassifyDim));
  add_integer(app, "--heads", options->heads, 1, kMostHeads,
              fmt::format("Heads (default: those of the spec, or {})", kClassifyHeads));
  add_text(app, "-o,--output", options->output, "FILE",
           "Write the recovered or the nearest generator");
  add_flag(app, "--force", options->force, "Replace an existing file");
  verb.argument_is_optional = true;
  verb.examples = {
      {"sextant classify rope --dim 128", "a group of rotations"},
      {"sextant classify learned_x.npy --noise 1e-7", "the families of a trained generator"},
      {"sextant classify --maps F.npy G.npy -o X.npy", "is it relative? a group? which generator?"},
      {"sextant classify --kernel bias.npy --nearest 'spiral+jordan(2)'",
       "a learned bias as a sum of families"},
      {"sextant classify --all", "the map of the catalogue"},
  };
  verb.takes_json = verb.takes_threads = true;
  verb.run = [options, &globals = verbs.globals()] { return run(*options, globals); };
}

}  // namespace sextant::cli

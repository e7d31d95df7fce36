// SPDX-License-Identifier: Apache-2.0
// sextant encodings: the catalogue, or one page on an encoding with a picture of its kernel.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "cli/encoding_text.h"
#include "cli/kernel_curve.h"
#include "cli/options.h"
#include "cli/output.h"

namespace sextant::cli {
namespace {

constexpr Index kDim = 64;
constexpr Index kHeads = 8;
constexpr Index kReach = 64;
constexpr int kPageHeight = 12;
constexpr int kPictureHeight = 4;

// One letter per claim, in the order of named().
constexpr std::string_view kClaimLetters = "TGNOASBCL";

struct Options {
  std::string spec;
  bool pictures = false;
  bool ascii = false;
  std::optional<Index> dim, heads;
};

struct Page {
  const Options& options;
  const Globals& globals;
  Style style;
};

std::string compact(const Claims& claims) {
  std::string result;
  for (const auto& [claim, value] : named(claims)) {
    const char letter = kClaimLetters[result.size()];
    result += value == Claim::kYes ? letter : value == Claim::kNo ? '-' : ' ';
  }
  return result;
}

std::string legend() {
  std::string result = "Claims:";
  std::size_t i = 0;
  for (const auto& [claim, value] : named(Claims{})) {
    result += fmt::format("{} {} {}", i == 0 ? "" : ",", kClaimLetters[i], spaced(claim));
    ++i;
  }
  return result + "; '-' means no, a blank not applicable.";
}

std::string pictures(const Page& page, const Encoding& encoding, int height) {
  const Index heads = page.options.heads.value_or(encoding.heads() > 0 ? encoding.heads() : kHeads);
  const Index dim = page.options.dim.value_or(encoding.dim() > 0 ? encoding.dim() : kDim);
  const std::vector<KernelCurve> curves = kernel_curves(encoding, dim, heads, kReach);
  if (curves.empty()) return "  It does nothing to attention: there is nothing to plot.\n";
  std::string result;
  for (const KernelCurve& curve : curves) {
    const PlotOptions plot_options = {.title = page.style.dim(curve.shows),
                                      .x_label = "lag",
                                      .width = output_width(),
                                      .height = height,
                                      .unicode = !page.options.ascii && output_is_utf8(),
                                      .color = page.style.on()};
    result += plot(curve.series, plot_options);
  }
  return result;
}

std::string picture_or_reason(const Page& page, const std::string& spec, int height) {
  const std::string missing = missing_file(EncodingSpec::parse(spec));
  if (!missing.empty()) return fmt::format("  No picture: {}.\n", missing);
  const std::unique_ptr<Encoding> encoding = encodings().make(spec);
  std::string result = pictures(page, *encoding, height);
  if (encoding->info().needs_values) {
    result += page.style.dim("  The values are learned; these are an initial draw.") + "\n";
  }
  return result;
}

std::string list_text(const Page& page) {
  std::vector<const EncodingInfo*> infos;
  for (const std::string& name : encodings().names()) infos.push_back(&encodings().info(name));
  std::size_t name_width = 4, sites_width = 5;
  for (const EncodingInfo* info : infos) {
    name_width = std::max(name_width, info->name.size());
    sites_width = std::max(sites_width, sites_text(info->sites).size());
  }
  const auto row = [&](std::string_view name, std::string_view sites, std::string_view claims,
                       std::string_view title) {
    return fmt::format("{:<{}}  {:<{}}  {:<{}}  {}", name, name_width, sites, sites_width, claims,
                       kClaimLetters.size(), title);
  };
  std::string result = page.style.bold(row("NAME", "SITES", "CLAIMS", "TITLE")) + "\n";
  for (const EncodingInfo* info : infos) {
    result += row(info->name, sites_text(info->sites), compact(info->claims), info->title) + "\n";
  }
  result += "\n" + wrapped(legend(), output_width(), 0) +
            "\n'sextant encodings NAME' has the formula, the parameters and a plot.\n";
  if (!page.options.pictures) return result;
  for (const EncodingInfo* info : infos) {
    const std::string name(info->name);
    result += fmt::format("\n{}  {}\n", page.style.bold(name), info->title) +
              picture_or_reason(page, name, kPictureHeight);
  }
  return result;
}

std::string fact(const Page& page, std::string_view title, std::string_view text) {
  constexpr int kIndent = 11;
  if (text.empty()) return "";
  return fmt::format("{}{:{}}{}\n", page.style.bold(title), "",
                     kIndent - static_cast<int>(title.size()),
                     wrapped(text, output_width(), kIndent));
}

std::string params_text(const Page& page, const EncodingInfo& info) {
  if (info.params.empty()) return "";
  std::size_t width = 0;
  const auto assignment = [](const ParamInfo& p) {
    return p.default_text.empty() ? std::string(p.name)
                                  : fmt::format("{}={}", p.name, p.default_text);
  };
  for (const ParamInfo& param : info.params) width = std::max(width, assignment(param).size());
  std::string result = "\n" + page.style.bold("Parameters") + "\n";
  const int indent = static_cast<int>(width) + 4;
  for (const ParamInfo& param : info.params) {
    const std::string doc = fmt::format("{} ({})", param.doc, range_text(param));
    result += fmt::format("  {:<{}}  {}\n", assignment(param), width,
                          wrapped(doc, output_width(), indent));
  }
  return result;
}

std::string claims_text(const Page& page, const Claims& claims) {
  std::string result = "\n" + page.style.bold("Claims") + "\n";
  for (const auto& [claim, value] : named(claims)) {
    result += fmt::format("  {:<22} {}\n", spaced(claim), name(value));
  }
  return result;
}

std::string info_text(const Page& page, const EncodingInfo& info) {
  std::string result =
      fmt::format("{}  {}\n\n", page.style.bold(info.name), page.style.bold(info.title)) +
      fact(page, "Formula", info.formula) + fact(page, "Reference", info.reference) +
      fact(page, "Notes", info.notes) + fact(page, "Sites", sites_text(info.sites)) +
      params_text(page, info);
  if (!info.examples.empty()) {
    result += "\n" + page.style.bold("Examples") + "\n";
    for (const std::string_view example : info.examples) result += fmt::format("  {}\n", example);
  }
  return result;
}

// One page per term, then the claims and the picture of the whole.
std::string page_text(const Page& page, const std::string& spec, const Claims& claims) {
  std::string result;
  for (const EncodingSpec::Term& term : EncodingSpec::parse(spec).terms) {
    if (!result.empty()) result += "\n";
    result += info_text(page, encodings().info(term.name));
  }
  return result + claims_text(page, claims) + "\n" + page.style.bold("Kernel of " + spec) + "\n" +
         picture_or_reason(page, spec, kPageHeight);
}

int show_one(const Page& page) {
  const std::string spec = seeded(page.options.spec, page.globals);
  const EncodingSpec parsed = EncodingSpec::parse(spec);
  const EncodingInfo& first = encodings().info(parsed.terms.front().name);
  const bool can_build = missing_file(parsed).empty();
  const std::unique_ptr<Encoding> encoding = can_build ? encodings().make(spec) : nullptr;
  const Claims claims = can_build ? encoding->claims() : first.claims;
  const std::string canonical = can_build ? encoding->spec() : spec;
  if (!page.globals.json) {
    print(page_text(page, canonical, claims));
    return 0;
  }
  Json json;
  json["schema"] = 1;
  json["verb"] = "encodings";
  json["spec"] = canonical;
  json["claims"] = claims_json(claims);
  json["encodings"] = Json::array();
  for (const EncodingSpec::Term& term : parsed.terms) {
    const EncodingInfo& info = encodings().info(term.name);
    json["encodings"].push_back(
        encoding_json(info, parsed.terms.size() == 1 ? claims : info.claims));
  }
  print(to_text(json));
  return 0;
}

int show_all(const Page& page) {
  require(!page.globals.seed, "--seed", "needs an encoding that draws at random");
  if (!page.globals.json) {
    print(list_text(page));
    return 0;
  }
  Json json;
  json["schema"] = 1;
  json["verb"] = "encodings";
  json["encodings"] = catalogue_json();
  print(to_text(json));
  return 0;
}

}  // namespace

void register_encodings(VerbRegistry& verbs) {
  Verb& verb = verbs.add("encodings", "List the encodings, or explain one and plot its kernel");
  const auto options = std::make_shared<Options>();
  add_text(*verb.app, "NAME", options->spec, "SPEC",
           "An encoding or a spec: rope, rope(base=500000), rope+alibi");
  add_flag(*verb.app, "--pictures", options->pictures, "Add a small plot of each to the list");
  add_flag(*verb.app, "--ascii", options->ascii, "Plot in ASCII, as where the locale is not UTF-8");
  add_integer(*verb.app, "--dim", options->dim, 1, kMostDim,
              fmt::format("Width of rows, queries and keys in the plot (default {})", kDim));
  add_integer(*verb.app, "--heads", options->heads, 1, kMostHeads,
              fmt::format("Heads in the plot (default: those of the spec, or {})", kHeads));
  verb.examples = {
      {"sextant encodings", "all encodings with their sites and claims"},
      {"sextant encodings rope", "formula, parameters, claims and kernel of one"},
      {"sextant encodings 'rope(base=500000)+alibi'", "two together"},
      {"sextant encodings --pictures", "all, each with a small plot"},
      {"sextant encodings --json", "the catalogue for programs"},
  };
  verb.argument_is_optional = true;
  verb.takes_json = verb.takes_seed = true;
  verb.run = [options, &globals = verbs.globals()] {
    require(!options->pictures || options->spec.empty(), "--pictures",
            "belongs to the list; a page has its plot anyway");
    const bool plots = !globals.json && (options->pictures || !options->spec.empty());
    require(plots || !(options->pictures || options->ascii || options->dim || options->heads),
            "encodings",
            "--pictures, --ascii, --dim and --heads are for plots; there is none here");
    const Page page = {*options, globals, Style(globals.color)};
    return options->spec.empty() ? show_all(page) : show_one(page);
  };
}

}  // namespace sextant::cli

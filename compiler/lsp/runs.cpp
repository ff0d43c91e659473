#include "compiler/lsp/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "compiler/explain/blocks.h"
#include "compiler/session/plots.h"

namespace sigrel::lsp {
namespace {

constexpr std::size_t kMostValues = 1000;  // in an answer
constexpr const char* kProgress = "$/progress";

/// Tells how far a run is, in whole per cent.
class Progress {
 public:
  Progress(const Json& token, const std::function<void(Json)>& tell) : token_(token), tell_(tell) {
    send({{"kind", "begin"}, {"title", "Sigrel runs the model"}, {"cancellable", true}, {"percentage", 0}});
  }
  ~Progress() { send({{"kind", "end"}}); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void at(double fraction) {
    const int now = static_cast<int>(100 * fraction);
    if (now <= told_) return;
    told_ = now;
    send({{"kind", "report"}, {"percentage", now}});
  }

 private:
  void send(Json value) {
    if (token_.is_null()) return;
    tell_({{"jsonrpc", "2.0"},
           {"method", kProgress},
           {"params", {{"token", token_}, {"value", std::move(value)}}}});
  }
  const Json& token_;
  const std::function<void(Json)>& tell_;
  int told_ = 0;
};

std::string messages_of(Session& session) {
  std::string result;
  for (const Diagnostic& d : session.diagnostics().all())
    result += render_text(d, session.sources(), false) + "\n";
  return result;
}

/// A value with its unit.
std::string text_of(const Run& run, std::size_t column) {
  const std::string& description = run.descriptions[column];
  std::string result = pipeline::value_text(description, run.final_values[column], 6);
  const std::string unit =
      pipeline::display_unit(description) ? std::string() : pipeline::shown_unit(description);
  if (unit.starts_with('[') && unit.ends_with(']')) result += " " + unit.substr(1, unit.size() - 2);
  return result;
}

Json values_of(const Run& run) {
  Json values = Json::array();
  for (std::size_t c = 0; c < run.final_values.size() && c < kMostValues; ++c)
    values.push_back(
        {{"name", run.columns.names[c]}, {"value", run.final_values[c]}, {"text", text_of(run, c)}});
  return values;
}

/// "m" of "m.v" and "x[3]".
std::string base_of(std::string_view name) { return std::string(name.substr(0, name.find_first_of(".["))); }

}  // namespace

Runs::Runs(SessionOptions options, std::function<void(Json)> answer)
    : options_(std::move(options)), answer_(std::move(answer)) {}

Runs::~Runs() {
  for (Job& job : jobs_) job.cancelled = true;
}

void Runs::start(RunRequest request) {
  remove_finished();
  Job& job = jobs_.emplace_back();
  job.request = std::move(request);
  job.thread = std::jthread([this, &job] {
    perform(job);
    job.done = true;
  });
}

bool Runs::cancel(const Json& id) {
  const auto job = std::ranges::find_if(jobs_, [&](const Job& j) { return j.request.id == id && !j.done; });
  if (job == jobs_.end()) return false;
  job->cancelled = true;
  return true;
}

void Runs::wait() {
  for (Job& job : jobs_)
    if (job.thread.joinable()) job.thread.join();
  jobs_.clear();
}

void Runs::remove_finished() {
  jobs_.remove_if([](const Job& job) { return job.done.load(); });
}

void Runs::perform(Job& job) {
  Json answer = {{"jsonrpc", "2.0"}, {"id", job.request.id}};
  try {
    Json found = result(job);
    if (job.cancelled)
      answer["error"] = {{"code", kRequestCancelled}, {"message", "the run was cancelled"}};
    else
      answer["result"] = std::move(found);
  } catch (const std::exception& error) {
    answer["error"] = {{"code", kInternalError}, {"message", error.what()}};
  }
  answer_(std::move(answer));
}

Json Runs::result(Job& job) {
  const RunRequest& request = job.request;
  const std::filesystem::path path(request.document.path);
  SessionOptions options = options_;
  options.keep_equations = request.kind == RunRequest::Blocks;
  Session session(std::move(options));
  Json result = {{"completed", false}};
  const auto with_messages = [&] {
    result["messages"] = messages_of(session);
    return result;
  };
  session.load_text(request.document.path, request.document.text,
                    path.has_parent_path() ? path.parent_path().string() : ".");
  if (!session.check(request.definition)) return with_messages();
  const std::shared_ptr<Compiled> model = session.compile();
  if (!model || job.cancelled) return with_messages();
  if (request.kind == RunRequest::Blocks) {
    result["completed"] = true;
    result["text"] = explain::blocks_text(*model, session.sources());
    if (model->dae.equations.count() <= explain::kLargestPicture)
      result["svg"] = explain::incidence_svg(*model);
    return with_messages();
  }
  Progress progress(request.progress_token, answer_);
  RunOptions run_options;
  run_options.stop = request.stop;
  run_options.plot_something = true;
  run_options.keep_trajectory = false;
  run_options.cancel = &job.cancelled;
  run_options.progress = [&](double fraction) { progress.at(fraction); };
  const Run run = session.run(*model, run_options);
  result["completed"] = run.completed();
  if (run.valid) {
    result["time"] = run.outcome.reached;
    result["values"] = values_of(run);
    if (request.kind == RunRequest::Plot) result["svg"] = plot_svg(run, request.definition.value_or("main"));
    keep_values(request.document.uri, run);
  }
  return with_messages();
}

void Runs::keep_values(const std::string& uri, const Run& run) {
  if (!run.last || run.final_values.size() != run.columns.size()) return;
  std::unordered_map<std::string_view, std::size_t> columns;
  for (std::size_t c = 0; c < run.columns.size(); ++c) columns.emplace(run.columns.names[c], c);
  const system::System& system = run.last->system;
  Values found;
  const std::size_t instances = std::min<std::size_t>(system.instances.size(), pipeline::Results::kSmall);
  for (std::uint32_t i = 0; i < instances; ++i) {
    const system::Template& body = system.templates[system.instances[i].body];
    std::string prefix = system::instance_name(system, i);
    if (!prefix.empty()) prefix += ".";
    const std::string relation(text(body.relation));
    const auto add = [&](const std::string& name) {
      const auto column = columns.find(prefix + name);
      if (column == columns.end()) return;
      found.emplace(std::pair(relation, base_of(name)),
                    fmt::format("{}{} = {}", prefix, name, text_of(run, column->second)));
    };
    for (const std::string& name : body.interface) add(name);
    for (const system::LocalInfo& local : body.locals)
      if (local.kind == system::UnknownKind::Source) add(text(local.name));
  }
  const std::lock_guard lock(mutex_);
  values_[uri] = std::move(found);
}

std::vector<std::string> Runs::values(const std::string& uri, const std::string& definition,
                                      const std::string& name, std::size_t most) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> result;
  const auto document = values_.find(uri);
  if (document == values_.end()) return result;
  const auto [begin, end] = document->second.equal_range({definition, name});
  for (auto at = begin; at != end; ++at) {
    if (result.size() == most) {
      result.emplace_back();
      break;
    }
    result.push_back(at->second);
  }
  return result;
}

}  // namespace sigrel::lsp

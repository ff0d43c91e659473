// Runs that an editor asks for (`sigrel/run`, `sigrel/plot`, `sigrel/blocks`): each in a thread and a session
// of its own, so that checks go on meanwhile. The text is that of the editor, saved or not.
#pragma once
#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "compiler/lsp/document.h"
#include "compiler/lsp/protocol.h"
#include "compiler/session/session.h"

namespace sigrel::lsp {

struct RunRequest {
  enum Kind : std::uint8_t { Run, Plot, Blocks } kind = Run;
  Json id = nullptr;
  Document document = {};
  std::optional<std::string> definition = {};  // instead of `main`
  std::optional<double> stop = {};
  Json progress_token = nullptr;  // null: no progress is told
};

class Runs {
 public:
  /// `answer` receives answers, and notifications of progress, from other threads.
  Runs(SessionOptions options, std::function<void(Json)> answer);
  ~Runs();
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  void start(RunRequest request);
  /// Ends a run, which is answered with the error `RequestCancelled`. False if there is none with this id.
  bool cancel(const Json& id);
  /// Returns when all of them have been answered.
  void wait();

  /// The final values, of the last run of a document, of what a name inside a definition denotes: a line for
  /// each of at most `most` instances, as `r1.u = 2.5 V`, and "" if there are more.
  std::vector<std::string> values(const std::string& uri, const std::string& definition,
                                  const std::string& name, std::size_t most) const;

 private:
  struct Job {
    RunRequest request;
    std::atomic<bool> cancelled = false, done = false;
    std::jthread thread;
  };
  using Values = std::multimap<std::pair<std::string, std::string>, std::string>;  // by definition and name

  void perform(Job& job);
  Json result(Job& job);
  void keep_values(const std::string& uri, const Run& run);
  void remove_finished();

  const SessionOptions options_;
  const std::function<void(Json)> answer_;
  mutable std::mutex mutex_;  // of `values_`
  std::map<std::string, Values> values_;
  std::list<Job> jobs_;
};

}  // namespace sigrel::lsp

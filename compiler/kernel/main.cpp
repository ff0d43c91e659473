// sigrel-kernel: the REPL as a Jupyter kernel. A cell has definitions, expressions and commands, as in the
// REPL;
// `:run` and `:plot` show their plot as SVG.
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <xeus/xhelper.hpp>
#include <xeus/xinterpreter.hpp>
#include <xeus/xkernel.hpp>
#include <xeus/xkernel_configuration.hpp>
#include <xeus/xserver_zmq.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "compiler/kernel/cell.h"
#include "compiler/pipeline/files.h"
#include "compiler/repl/lines.h"
#include "compiler/repl/repl.h"
#include "compiler/session/plots.h"
#include "runtime/results/plot_png.h"

namespace sigrel::kernel {
namespace {

namespace nl = nlohmann;
using std::chrono::steady_clock;

std::atomic<bool> interrupted{false};

constexpr double kPlotWidth = runtime::SvgOptions{}.width;

/// RFC 4648, section 4.
std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 3; ++j)
      word = word << 8 | (k + j < bytes.size() ? static_cast<unsigned char>(bytes[k + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      text += k + j <= bytes.size() ? kDigits[word >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

/// The progress of a long run, as an output that is replaced.
class Progress {
 public:
  explicit Progress(xeus::xinterpreter& to) : to_(to) {}
  void begin() { started_ = steady_clock::now(); }
  void update(double fraction) {
    const auto now = steady_clock::now();
    if (now - started_ < std::chrono::milliseconds(700) || now - told_ < std::chrono::milliseconds(200))
      return;
    told_ = now;
    show(fmt::format("{:.0f} %", 100 * fraction));
  }
  void end() {
    if (!shown_) return;
    show("");
    shown_ = false;
  }

 private:
  void show(const std::string& text) {
    nl::json data, transient;
    data["text/plain"] = text;
    if (!shown_) ++number_;
    transient["display_id"] = fmt::format("progress {}", number_);
    shown_ ? to_.update_display_data(data, nl::json::object(), transient)
           : to_.display_data(data, nl::json::object(), transient);
    shown_ = true;
  }

  xeus::xinterpreter& to_;
  steady_clock::time_point started_{}, told_{};
  bool shown_ = false;
  std::uint64_t number_ = 0;
};

class Kernel final : public xeus::xinterpreter {
 public:
  Kernel() : progress_(*this) { xeus::register_interpreter(this); }

 private:
  void configure_impl() override {
    repl::Host host;
    host.print = [this](std::string_view text) {
      if (captured_)
        *captured_ += text;
      else
        publish_stream("stdout", std::string(text));
    };
    host.interrupted = &interrupted;
    host.report = [this](const Diagnostics& found, const SourceMap& sources) { report(found, sources); };
    host.plot = [this](const Run& run) {
      nl::json data;
      const std::string svg = plot_svg(run, {});
      data["image/svg+xml"] = svg;
      // For places that show no SVG: notebooks that are not trusted, some web pages.
      if (std::string png;
          runtime::draw_png(png, svg, kPlotWidth, height_of(run.panes.size()), 1).error.empty())
        data["image/png"] = base64(png);
      data["text/plain"] =
          fmt::format("<plot of {} to t = {:.9g} s>", fmt::join(run.plotted(), ", "), run.outcome.reached);
      display_data(std::move(data), nl::json::object(), nl::json::object());
    };
    host.progress = [this](double fraction) { progress_.update(fraction); };
    host.end_progress = [this] { progress_.end(); };
    repl_ = std::make_unique<repl::Repl>(
        SessionOptions{.path = {{}, pipeline::library_folder()},
                       .keep_equations = true,
                       .code = {.wait_until_hot = true, .cache_folder = pipeline::cache_folder()}},
        std::move(host));
  }

  void report(const Diagnostics& found, const SourceMap& sources) {
    if (captured_) return;
    for (const Diagnostic& d : found.all()) {
      const std::string text = render_text(d, sources, true);
      if (d.severity != Severity::Error) {
        publish_stream("stderr", text + "\n");
        continue;
      }
      error_ = {std::string(info(d.code).id), d.message};
      trace_.push_back(text);
    }
  }

  nl::json execute_request_impl(int, const std::string& code, bool, bool, nl::json, bool) override {
    error_.reset();
    trace_.clear();
    progress_.begin();
    for (const std::string& input : inputs_of(code)) {
      repl_->answer(input);
      if (error_ || interrupted) break;  // later inputs would work on what this one did not make
    }
    if (!error_) return xeus::create_successful_reply();
    publish_execution_error(error_->first, error_->second, trace_);
    return {{"status", "error"}, {"ename", error_->first}, {"evalue", error_->second}, {"traceback", trace_}};
  }

  nl::json complete_request_impl(const std::string& code, int cursor) override {
    const std::size_t end = byte_of(code, cursor);
    const std::size_t line = code.rfind('\n', end == 0 ? 0 : end - 1);
    const std::string before = code.substr(line == std::string::npos ? 0 : line + 1,
                                           end - (line == std::string::npos ? 0 : line + 1));
    const std::string word = before.substr(repl::word_start(before));
    return xeus::create_complete_reply(repl_->complete(before, word),
                                       cursor - static_cast<int>(code_points(word)), cursor);
  }

  nl::json inspect_request_impl(const std::string& code, int cursor, int) override {
    const std::string name = name_at(code, byte_of(code, cursor));
    std::string text;
    if (!name.empty()) {
      captured_ = &text;
      repl_->answer(":info " + name);
      captured_ = nullptr;
    }
    nl::json data = nl::json::object();
    if (!text.empty()) data["text/plain"] = text;
    return xeus::create_inspect_reply(!text.empty(), data, nl::json::object());
  }

  nl::json is_complete_request_impl(const std::string& code) override {
    return is_complete(code) ? xeus::create_is_complete_reply("complete")
                             : xeus::create_is_complete_reply("incomplete", "  ");
  }

  nl::json kernel_info_request_impl() override {
    return xeus::create_info_reply(
        "5.3", "sigrel", SIGREL_VERSION, "sigrel", SIGREL_VERSION, "text/x-sigrel", ".sr", "haskell",
        "haskell", "",
        "Sigrel: equation-based modelling with typed, first-class signal relations. "
        "`:help` lists the commands.");
  }

  void shutdown_request_impl() override {}

  Progress progress_;
  std::unique_ptr<repl::Repl> repl_;
  std::string* captured_ = nullptr;  // takes what answers print
  std::optional<std::pair<std::string, std::string>> error_;
  std::vector<std::string> trace_;
};

/// Jupyter interrupts a kernel with SIGINT. A thread of its own takes the signal: the sockets do not see it.
void take_interrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    for (int signal = 0; sigwait(&signals, &signal) == 0;) interrupted = true;
  }).detach();
}

}  // namespace
}  // namespace sigrel::kernel

int main(int argc, char** argv) {
  if (xeus::should_print_version(argc, argv)) {
    fmt::print("sigrel-kernel {}\n", SIGREL_VERSION);
    return 0;
  }
  const std::string connection = xeus::extract_filename(argc, argv);
  if (connection.empty()) {
    fmt::print(stderr, "sigrel-kernel is started by Jupyter: sigrel-kernel -f CONNECTION_FILE\n");
    return 2;
  }
  try {
    sigrel::kernel::take_interrupts();
    xeus::xkernel kernel(xeus::load_configuration(connection), xeus::get_user_name(),
                         xeus::make_context<zmq::context_t>(), std::make_unique<sigrel::kernel::Kernel>(),
                         xeus::make_xserver_zmq, xeus::make_in_memory_history_manager(), nullptr,
                         xeus::make_null_debugger, nlohmann::json::object(),
                         nlohmann::json::error_handler_t::replace);
    kernel.start();
  } catch (const std::exception& error) {
    fmt::print(stderr, "sigrel-kernel cannot use the connection of `{}`: {}\n", connection, error.what());
    return 1;
  }
}

#include "compiler/data/files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace sigrel::data {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr int kMostEntries = 10'000;  // of a folder, in which a similar name is searched

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

}  // namespace

Files::Files(const SourceMap& sources, FileId root, std::string folder, std::vector<std::string> allowed)
    : sources_(sources), root_(root), folder_(folder.empty() ? "." : std::move(folder)) {
  allowed.push_back(folder_);
  for (const std::string& path : allowed) {
    std::error_code error;
    const fs::path real = fs::canonical(path.empty() ? "." : path, error) / "";
    if (!error) allowed_.push_back(real.string());
  }
}

std::optional<Files::Stamp> Files::stamp_of(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  Stamp stamp{status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
              nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
  // Times of files advance in steps: what was written just now may be written again at the same time.
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  stamp.recent =
      std::chrono::nanoseconds(now).count() - std::max(stamp.modified, stamp.changed) < 2 * kSecond;
  return stamp;
}

bool Files::is_unchanged(const std::string& path, const Entry& entry) {
  if (!entry.file || entry.stamp.recent) return false;
  std::optional<Stamp> now = stamp_of(path);
  if (now) now->recent = false;
  return now == entry.stamp;
}

bool Files::may_have_changed() const {
  const std::scoped_lock lock(mutex_);
  return !std::ranges::all_of(entries_, [](const auto& e) { return is_unchanged(e.first, e.second); });
}

void Files::take_unchanged(const Files& earlier) {
  const std::scoped_lock lock(mutex_, earlier.mutex_);
  for (const auto& [path, entry] : earlier.entries_)
    if (is_unchanged(path, entry)) entries_.emplace(path, entry);
}

std::optional<Problem> Files::outside(const std::string& path, const std::string& shown) const {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  if (!error && std::ranges::any_of(
                    allowed_, [&](const std::string& folder) { return real.string().starts_with(folder); }))
    return std::nullopt;
  Problem p{Code::ModuleOutside, fmt::format("`{}` is outside the folders of the program", shown)};
  if (!error) p.notes.push_back(fmt::format("it is `{}`", real.string()));
  p.notes.emplace_back("a model opens data below its own folder, and below those of `--path`");
  p.helps.push_back(fmt::format("if it belongs to the program, allow its folder: `--path {}`",
                                error ? "DIR" : real.parent_path().string()));
  return p;
}

Problem Files::missing(const std::string& path, const std::string& shown) const {
  Problem p{Code::DataUnreadable, fmt::format("`{}` cannot be read", shown)};
  p.notes.push_back(
      fmt::format("there is no file `{}`: the name is relative to the source that names it", path));
  const fs::path wanted = path;
  std::vector<std::string> names;
  std::error_code error;
  const fs::path folder = wanted.parent_path().empty() ? "." : wanted.parent_path();
  fs::directory_iterator it(folder, error), end;
  for (int seen = 0; !error && it != end && seen < kMostEntries; it.increment(error), ++seen)
    names.push_back(it->path().filename().string());
  std::ranges::sort(names);
  const std::string name = wanted.filename().string();
  if (const auto near = did_you_mean(name, {names.begin(), names.end()}))
    p.meant = shown.substr(0, shown.size() - std::min(shown.size(), name.size())) + std::string(*near);
  return p;
}

Result<DataFile*> Files::open(std::string_view name, FileId named_in) {
  const std::string shown(name);
  if (name.empty() || name.find('\0') != std::string_view::npos)
    return tl::unexpected(Problem{Code::DataUnreadable, "the name of the data file is empty"});
  fs::path folder = folder_;
  if (named_in != root_ && named_in.value < sources_.size())
    if (const std::string& source = sources_.file(named_in).path; !source.starts_with('<'))
      folder = fs::path(source).parent_path();
  fs::path whole = (folder / fs::path(shown)).lexically_normal();
  const std::string path = whole.string();
  const std::scoped_lock lock(mutex_);
  auto [at, fresh] = entries_.try_emplace(path);
  Entry& entry = at->second;
  if (fresh) {
    std::error_code error;
    const auto stamp = stamp_of(path);
    if (auto problem = outside(path, shown)) {
      entry.problem = std::move(problem);
    } else if (!stamp) {
      entry.problem = missing(path, shown);
    } else if (!fs::is_regular_file(path, error)) {  // reading a pipe or a device may never end
      entry.problem = Problem{Code::DataUnreadable, fmt::format("`{}` cannot be read", shown)};
      entry.problem->notes.emplace_back(fs::is_directory(path, error) ? "it is a folder"
                                                                      : "it is not a file");
    } else {
      entry.stamp = *stamp;
      if (auto file = open_data(path, shown))
        entry.file = *std::move(file);
      else
        entry.problem = file.error();
    }
  }
  if (entry.problem) return tl::unexpected(*entry.problem);
  return entry.file.get();
}

std::vector<UsedFile> Files::used() const {
  const std::scoped_lock lock(mutex_);
  std::vector<UsedFile> used;
  for (const auto& [path, entry] : entries_)
    if (entry.file) used.push_back({path, entry.file->digest()});
  return used;
}

}  // namespace sigrel::data

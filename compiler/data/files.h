// The data files of a program: found relative to the source that names them, and read once, so that a check
// and the runs after it see the same numbers.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/data/data_file.h"
#include "compiler/data/used_file.h"

namespace sigrel::data {

class Files {
 public:
  /// `folder`: of the root, and of sources without a file of their own, such as inputs of the REPL.
  /// `allowed`: the folders below which files are opened; others are refused. `sources` outlives the object.
  Files(const SourceMap& sources, FileId root, std::string folder, std::vector<std::string> allowed);

  /// The file that a source names.
  Result<DataFile*> open(std::string_view name, FileId named_in);

  /// The files that were opened, in the order of their paths.
  std::vector<UsedFile> used() const;

  /// Whether a file that was read may have changed since.
  bool may_have_changed() const;
  /// Takes over what `earlier` has read of files that are unchanged since.
  void take_unchanged(const Files& earlier);

 private:
  /// What shows that a file has changed.
  struct Stamp {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t modified = 0, changed = 0;  // nanoseconds
    bool recent = false;                     // it may change again without another time
    bool operator==(const Stamp&) const = default;
  };
  struct Entry {
    Stamp stamp;
    std::shared_ptr<DataFile> file;  // null: `problem`
    std::optional<Problem> problem;
  };
  static bool is_unchanged(const std::string& path, const Entry& entry);
  static std::optional<Stamp> stamp_of(const std::string& path);
  std::optional<Problem> outside(const std::string& path, const std::string& shown) const;
  Problem missing(const std::string& path, const std::string& shown) const;

  const SourceMap& sources_;
  FileId root_;
  std::string folder_;
  std::vector<std::string> allowed_;  // links resolved, with a slash at the end
  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;  // by path
};

}  // namespace sigrel::data

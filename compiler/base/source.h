// Source files and spans. A span is a half-open byte range of one file; lines and columns are computed on
// demand.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/ids.h"

namespace sigrel {

using FileId = Id<struct FileTag>;

struct Span {
  FileId file;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  constexpr auto operator<=>(const Span&) const = default;
};

/// The smallest span that covers both; `a` and `b` are in one file.
Span join(Span a, Span b);

/// 1-based line, 1-based column counted in code points.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

struct SourceFile {
  std::string path;  // as given by the user
  std::string text;  // UTF-8
  std::vector<std::uint32_t> line_starts;

  /// Number of lines; a trailing newline does not start another.
  std::size_t line_count() const { return line_starts.size(); }
  /// The text of a 1-based line without its newline.
  std::string_view line(std::uint32_t number) const;
  Position position(std::uint32_t offset) const;
};

/// Owns all source files; ids and texts stay valid.
class SourceMap {
 public:
  FileId add(std::string path, std::string text);
  const SourceFile& file(FileId id) const { return files_[id.value]; }
  std::size_t size() const { return files_.size(); }
  std::string_view text(Span span) const {
    return std::string_view(files_[span.file.value].text).substr(span.begin, span.end - span.begin);
  }

 private:
  std::deque<SourceFile> files_;
};

}  // namespace sigrel

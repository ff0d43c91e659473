#include "compiler/base/source.h"

#include <algorithm>

namespace sigrel {

Span join(Span a, Span b) { return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)}; }

std::string_view SourceFile::line(std::uint32_t number) const {
  if (number == 0 || number > line_starts.size()) return {};
  std::size_t begin = line_starts[number - 1];
  std::size_t end = text.find('\n', begin);
  if (end == std::string::npos) end = text.size();
  if (end > begin && text[end - 1] == '\r') --end;
  return std::string_view(text).substr(begin, end - begin);
}

Position SourceFile::position(std::uint32_t offset) const {
  offset = std::min<std::uint32_t>(offset, static_cast<std::uint32_t>(text.size()));
  auto it = std::upper_bound(line_starts.begin(), line_starts.end(), offset);
  std::uint32_t line = static_cast<std::uint32_t>(it - line_starts.begin());
  std::uint32_t column = 1;
  for (std::uint32_t i = line_starts[line - 1]; i < offset; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) ++column;
  return {line, column};
}

FileId SourceMap::add(std::string path, std::string text) {
  SourceFile f{std::move(path), std::move(text), {0}};
  for (std::size_t i = 0; i < f.text.size(); ++i)
    if (f.text[i] == '\n' && i + 1 < f.text.size())
      f.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
  files_.push_back(std::move(f));
  return FileId{files_.size() - 1};
}

}  // namespace sigrel

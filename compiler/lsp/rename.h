// Renaming what a document defines: in it, and in the files beside it that import it.
#pragma once
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "compiler/lsp/analysis.h"

namespace sigrel::lsp {

/// Why nothing is renamed, in words for the user.
struct RenameRefused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct TextEdit {
  std::size_t begin = 0, end = 0;  // offsets
  std::string text;
};

/// The edits of each document, whose places are in ascending order. `others`: documents that may use this
/// one. The text of the document after them is checked: what makes an error, as a new name that is a keyword,
/// or a variable that is read from outside of its relation, is refused.
std::map<std::string, std::vector<TextEdit>> rename(const Document& document, const Analysis& analysis,
                                                    const Word& word, const std::string& name,
                                                    const std::vector<Document>& others,
                                                    const SessionOptions& options);

}  // namespace sigrel::lsp

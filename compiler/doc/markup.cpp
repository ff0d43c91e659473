#include "compiler/doc/markup.h"

#include <cctype>
#include <sstream>

namespace sigrel::doc {

std::string escape(std::string_view text) {
  std::string out;
  for (char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  return out;
}

std::string inline_markup(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t open = text.find('`');
    std::size_t close = open == std::string_view::npos ? open : text.find('`', open + 1);
    if (close == std::string_view::npos) return out + escape(text);
    out += escape(text.substr(0, open));
    std::string_view code = text.substr(open + 1, close - open - 1);
    out += code.empty() ? "``" : "<code>" + escape(code) + "</code>";
    text.remove_prefix(close + 1);
  }
  return out;
}

std::string markup(std::string_view text) {
  enum class Open { None, Paragraph, List, Block } open = Open::None;
  std::string out, part;  // part: the current paragraph, item or block
  auto close_part = [&] {
    if (open == Open::Paragraph) out += "<p>" + inline_markup(part) + "</p>\n";
    if (open == Open::List) out += "<li>" + inline_markup(part) + "</li>\n";
    if (open == Open::Block) out += "<pre><code>" + escape(part) + "</code></pre>\n";
    part.clear();
  };
  auto close = [&] {
    close_part();
    if (open == Open::List) out += "</ul>\n";
    open = Open::None;
  };
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::string_view rest = line;
    while (rest.starts_with(' ') || rest.starts_with('\t')) rest.remove_prefix(1);
    while (rest.ends_with(' ') || rest.ends_with('\r')) rest.remove_suffix(1);
    if (rest.starts_with("```")) {
      bool ends = open == Open::Block;
      close();
      if (!ends) open = Open::Block;
    } else if (open == Open::Block) {
      part += line + "\n";
    } else if (rest.empty()) {
      close();
    } else if (rest.starts_with("- ") || rest.starts_with("* ")) {
      if (open == Open::List) {
        close_part();
      } else {
        close();
        out += "<ul>\n";
        open = Open::List;
      }
      part = rest.substr(2);
    } else {
      if (open == Open::None) open = Open::Paragraph;
      if (!part.empty()) part += '\n';
      part += rest;
    }
  }
  close();
  return out;
}

std::vector<Block> blocks(std::string_view text) {
  std::vector<Block> found;
  bool inside = false;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      if (!inside) found.push_back({line.substr(3), {}});
      inside = !inside;
    } else if (inside) {
      found.back().text += line + "\n";
    }
  }
  return found;
}

namespace {

/// Whether the period follows a single capital, as in "W. Stortelder", and does not end a sentence.
bool is_initial(std::string_view text, std::size_t point) {
  return point > 0 && std::isupper(static_cast<unsigned char>(text[point - 1])) &&
         (point == 1 || text[point - 2] == ' ' || text[point - 2] == '(');
}

}  // namespace

std::string_view first_sentence(std::string_view text) {
  std::string_view first = text.substr(0, text.find("\n\n"));
  if (first.starts_with("```") || first.starts_with("- ")) return {};
  for (std::size_t at = 0; (at = first.find('.', at)) != std::string_view::npos; ++at)
    if ((at + 1 == first.size() || first[at + 1] == ' ' || first[at + 1] == '\n') && !is_initial(first, at)) {
      first = first.substr(0, at + 1);
      break;
    }
  return first;
}

std::string summary(std::string_view text) { return inline_markup(first_sentence(text)); }

}  // namespace sigrel::doc

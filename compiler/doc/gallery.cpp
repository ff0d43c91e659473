#include "compiler/doc/gallery.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <sstream>

#include "compiler/doc/markup.h"
#include "compiler/parse/tokens.h"

namespace sigrel::doc {
namespace {

constexpr std::string_view kStyle = R"(
body { max-width: 66rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); gap: 1.2rem; padding: 0; list-style: none; }
.cards a { display: block; height: 100%; border: 1px solid var(--line); border-radius: .5rem; overflow: hidden; color: inherit; }
.cards a:hover { border-color: var(--link); text-decoration: none; }
.cards img { display: block; width: 100%; border-bottom: 1px solid var(--line); }
.cards h2 { margin: .7rem .9rem .2rem; font-size: 1.05rem; }
.cards p { margin: 0 .9rem .8rem; font-size: .92rem; color: var(--dim); }
.cards p.uses { font-size: .8rem; color: var(--link); }
.plot { display: block; width: 100%; max-width: 60rem; border: 1px solid var(--line); border-radius: .5rem; }
pre.equations { font-size: 1.05rem; border-left: .25rem solid var(--link); }
nav { display: flex; justify-content: space-between; margin: 1rem 0; }
.c { color: var(--dim); font-style: italic; } .k { color: #8b3fb0; } .n { color: #b3541e; } .t { color: #12717e; }
@media (prefers-color-scheme: dark) { .k { color: #cf9bf0; } .n { color: #f0a878; } .t { color: #7fd0dc; } }
)";

std::string stem(const Example& e) { return std::filesystem::path(e.file).stem().string(); }

/// The lines of the comment at the beginning of a file, without their marks.
std::vector<std::string> header_lines(std::string_view source) {
  std::vector<std::string> lines;
  while (source.starts_with("--")) {
    std::string_view line = source.substr(2, source.find('\n') - 2);
    source.remove_prefix(std::min(source.size(), line.size() + 3));
    if (line.starts_with(" |")) line.remove_prefix(2);
    if (line.starts_with(' ')) line.remove_prefix(1);
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    lines.emplace_back(line);
  }
  return lines;
}

std::string header_text(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// Paragraphs, and equations from indented lines.
std::string header_html(const std::vector<std::string>& lines) {
  std::string out, part;
  bool equations = false;
  auto close = [&] {
    while (part.ends_with('\n')) part.pop_back();
    if (!part.empty())
      out += equations ? "<pre class=\"equations\">" + escape(part) + "</pre>\n"
                       : "<p>" + inline_markup(part) + "</p>\n";
    part.clear();
  };
  for (const std::string& line : lines) {
    const bool indented = line.starts_with("  ");
    if (line.empty() ? !equations : indented != equations) {
      close();
      equations = indented;
    }
    if (!line.empty() || equations) part += (indented ? line.substr(2) : line) + "\n";
  }
  close();
  return out;
}

const char* colour_class(TokenKind kind) {
  switch (kind) {
    case TokenKind::LineComment:
    case TokenKind::BlockComment: return "c";
    case TokenKind::Keyword: return "k";
    case TokenKind::Literal: return "n";
    case TokenKind::Capital: return "t";
    default: return nullptr;
  }
}

std::string source_html(FileId file, const SourceMap& sources) {
  Diagnostics known;  // ignored: the file has been checked
  const std::string_view text = sources.file(file).text;
  std::string out;
  std::size_t at = 0;
  for (const SourceToken& token : tokens(file, sources, known).tokens) {
    if (token.span.begin < at || token.span.end > text.size())
      continue;  // tokens inserted by the layout have no text
    out += escape(text.substr(at, token.span.begin - at));
    const std::string word = escape(text.substr(token.span.begin, token.span.end - token.span.begin));
    const char* colour = colour_class(token.kind);
    out += colour && !word.empty() ? fmt::format("<span class=\"{}\">{}</span>", colour, word) : word;
    at = token.span.end;
  }
  return "<pre>" + out + escape(text.substr(at)) + "</pre>\n";
}

/// "Electrical" of `import Electrical (Pin)`.
std::vector<std::string> imports_of(std::string_view source) {
  std::vector<std::string> found;
  std::istringstream in{std::string(source)};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("import ")) found.push_back(line.substr(7, line.find_first_of(" (\r", 7) - 7));
  return found;
}

/// The modules of the library that a model imports.
std::string uses(std::string_view source) {
  std::string out;
  for (const std::string& module : imports_of(source)) out += (out.empty() ? "" : " · ") + escape(module);
  return out.empty() ? out : "<p class=\"uses\">" + out + "</p>";
}

std::string page(const std::vector<Example>& examples, std::size_t k, const SourceMap& sources) {
  const Example& e = examples[k];
  auto title_of = [&](const Example& example) {
    return escape(example_title(example.file, sources.file(example.source).text));
  };
  const std::string title = title_of(e);
  auto link = [&](const Example& to, const char* arrow_before, const char* arrow_after) {
    return fmt::format("<a href=\"{}.html\">{}{}{}</a>", escape(stem(to)), arrow_before, title_of(to),
                       arrow_after);
  };
  std::string out = fmt::format(
      "<nav><span>{}</span><a href=\"index.html\">All examples</a><span>{}</span></nav>\n<h1>{}</h1>\n",
      k > 0 ? link(examples[k - 1], "← ", "") : "",
      k + 1 < examples.size() ? link(examples[k + 1], "", " →") : "", title);
  out += header_html(header_lines(sources.file(e.source).text));
  out += fmt::format("<p><img class=\"plot\" src=\"{}.svg\" alt=\"{} over time\"/></p>\n", escape(stem(e)),
                     title);
  if (!e.animation.empty())
    out += fmt::format(
        "<p><a href=\"{0}.moves.html\"><img class=\"plot\" src=\"{0}.still.svg\" alt=\"{1}\"/></a></p>\n"
        "<p><a href=\"{0}.moves.html\">See it move</a></p>\n",
        escape(stem(e)), title);
  out += fmt::format("<pre>sigrel run {}</pre>\n", escape(e.path));
  if (!e.values.empty()) {
    out += fmt::format("<table>\n<tr><th>at t = {:.6g} s</th><th></th></tr>\n", e.end);
    for (const auto& [name, value] : e.values)
      out += fmt::format("<tr><td><code>{}</code></td><td>{}</td></tr>\n", escape(name), escape(value));
    out += "</table>\n";
  }
  out += "<h2>Source</h2>\n" + source_html(e.source, sources);
  if (const std::vector<std::string> imports = imports_of(sources.file(e.source).text); !imports.empty()) {
    out += "<p class=\"dim\">Imports";
    for (std::size_t i = 0; i < imports.size(); ++i)
      out += fmt::format("{} <code>{}</code>", i ? "," : "", escape(imports[i]));
    out += fmt::format(": <code>sigrel list {}</code> shows their contents.</p>\n", escape(imports.front()));
  }
  return document(title, out, kStyle);
}

}  // namespace

std::string example_title(const std::string& file, std::string_view source) {
  const std::string stem = std::filesystem::path(file).stem().string();
  // Capitalisation of the words in the header: a word that also occurs in lower case is a common one.
  auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  std::map<std::string, std::string> written;
  const std::string text = header_text(header_lines(source));
  for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
    for (end = at; end < text.size() && letter(text[end]); ++end) {}
    const std::string word = text.substr(at, end - at);
    std::string small = word;
    for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (auto [it, fresh] = written.try_emplace(small, word); !fresh && word == small) it->second = word;
  }
  std::string title;
  for (std::size_t at = 0; at < stem.size();) {
    const std::size_t end = std::min(stem.find('_', at), stem.size());
    std::string word = stem.substr(at, end - at);
    at = end + 1;
    if (word.empty() || (title.empty() && std::ranges::all_of(word, [](char c) {
                           return std::isdigit(static_cast<unsigned char>(c)) != 0;
                         })))
      continue;
    if (auto it = written.find(word); it != written.end()) word = it->second;
    title += (title.empty() ? "" : " ") + word;
  }
  if (!title.empty()) title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

std::vector<Page> gallery(const std::vector<Example>& examples, const SourceMap& sources) {
  std::vector<Page> pages;
  std::string index = "<h1>Examples</h1>\n<ul class=\"cards\">\n";
  for (std::size_t k = 0; k < examples.size(); ++k) {
    const Example& e = examples[k];
    pages.push_back({stem(e) + ".html", page(examples, k, sources)});
    pages.push_back({stem(e) + ".svg", e.plot});
    pages.push_back({stem(e) + ".small.svg", e.small_plot});
    if (!e.animation.empty()) {
      pages.push_back({stem(e) + ".moves.html", e.animation});
      pages.push_back({stem(e) + ".still.svg", e.still});
    }
    index += fmt::format(
        "<li><a href=\"{0}.html\"><img src=\"{0}.{4}.svg\" alt=\"\"/><h2>{1}</h2><p>{2}</p>{3}</a></li>\n",
        escape(stem(e)), escape(example_title(e.file, sources.file(e.source).text)),
        summary(header_text(header_lines(sources.file(e.source).text))), uses(sources.file(e.source).text),
        e.animation.empty() ? "small" : "still");
  }
  pages.push_back({"index.html", document("Examples", index + "</ul>\n", kStyle)});
  return pages;
}

}  // namespace sigrel::doc

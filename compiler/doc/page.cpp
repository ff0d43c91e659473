#include "compiler/doc/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "compiler/doc/markup.h"

namespace sigrel::doc {
namespace {

constexpr std::size_t kFolded = 200;  // characters of a structural type, about two lines

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark;
  --text: #1c2024; --back: #ffffff; --soft: #f3f5f7; --line: #d8dde3; --link: #0b5cad; --dim: #5b6570; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e7ea; --back: #15181c; --soft: #1f242a;
    --line: #363d46; --link: #7cb8f5; --dim: #9aa4ae; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 54rem; padding: 1.5rem 1rem 4rem;
  background: var(--back); color: var(--text);
  font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; margin: .5rem 0 1rem; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem; }
h3 { margin: 0; font-size: 1rem; font-weight: normal; }
a { color: var(--link); text-decoration: none; }
a:hover, a:focus { text-decoration: underline; }
code, pre, .signature { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .92em; }
code { background: var(--soft); padding: .1em .3em; border-radius: .25em; }
pre { background: var(--soft); padding: .7rem .9rem; border-radius: .4rem; overflow-x: auto; }
pre code { padding: 0; background: none; }
.entry { border-top: 1px solid var(--line); padding: .9rem 0 .3rem; }
.entry:target { background: var(--soft); }
.signature { display: block; padding-left: 1.5em; text-indent: -1.5em; }
.name { font-weight: bold; }
.dim { color: var(--dim); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .6rem 0; }
th, td { text-align: left; padding: .25rem .9rem .25rem 0;
  border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: normal; color: var(--dim); }
ul.contents { list-style: none; padding: 0; }
)";

/// Encodes a name for identifiers and file names: letters and digits unchanged, other bytes as hexadecimal.
std::string encoded(std::string_view name) {
  std::string out;
  for (unsigned char c : name) {
    bool plain =
        (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '.';
    if (plain)
      out += static_cast<char>(c);
    else
      out += fmt::format("-{:02x}", c);
  }
  return out;
}
std::string anchor(const Entry& entry) {
  return (entry.is_type() ? "type-" : "value-") + encoded(entry.name);
}

class Writer {
 public:
  explicit Writer(const std::vector<Module>& modules) : modules_(modules) {
    std::set<std::string> taken{"index.html"};
    for (std::size_t m = 0; m < modules.size(); ++m) {
      std::string file = encoded(modules[m].name) + ".html";
      for (int i = 2; !taken.insert(file).second; ++i)
        file = fmt::format("{}-{}.html", encoded(modules[m].name), i);
      files_.push_back(file);
      by_name_.try_emplace(modules[m].name, m);
      for (const Entry& e : modules[m].entries)
        if (e.is_type()) types_[m].try_emplace(e.name, file + "#" + anchor(e));
    }
  }

  std::vector<Page> run() {
    std::vector<Page> out;
    for (current_ = 0; current_ < modules_.size(); ++current_)
      out.push_back({files_[current_], document(modules_[current_].name, module(modules_[current_]))});
    out.push_back({"index.html", document("Modules", index())});
    return out;
  }

 private:
  /// The link to the description of a type that is visible in the current module.
  const std::string* target(const std::string& name) const {
    auto in = [&](std::size_t m) -> const std::string* {
      auto names = types_.find(m);
      if (names == types_.end()) return nullptr;
      auto found = names->second.find(name);
      return found == names->second.end() ? nullptr : &found->second;
    };
    if (auto found = in(current_)) return found;
    for (const Import& import : modules_[current_].imports)
      if (auto m = by_name_.find(import.module); m != by_name_.end())
        if (auto found = in(m->second)) return found;
    auto prelude = by_name_.find("Prelude");
    return prelude == by_name_.end() ? nullptr : in(prelude->second);
  }

  /// The text of a type with linked names. Text in `<…>` is a unit.
  std::string type(std::string_view text) const {
    std::string out;
    bool in_unit = false;
    for (std::size_t i = 0; i < text.size();) {
      auto part = [&](std::size_t k) {
        unsigned char c = static_cast<unsigned char>(text[k]);
        return std::isalnum(c) || c == '_' || c == '\'' || c >= 0x80;
      };
      std::size_t end = i;
      while (end < text.size() && part(end)) ++end;
      if (end == i) {
        bool arrow = text[i] == '>' && i > 0 && text[i - 1] == '-';
        if (text[i] == '<') in_unit = true;
        if (text[i] == '>' && !arrow) in_unit = false;
        out += escape(text.substr(i++, 1));
        continue;
      }
      std::string name(text.substr(i, end - i));
      const std::string* to =
          in_unit || std::islower(static_cast<unsigned char>(name[0])) ? nullptr : target(name);
      out += to ? fmt::format("<a href=\"{}\">{}</a>", escape(*to), escape(name)) : escape(name);
      i = end;
    }
    return out;
  }

  std::string module(const Module& m) const {
    std::string out = fmt::format("<p><a href=\"index.html\">All modules</a></p>\n<h1>{}</h1>\n{}",
                                  escape(m.name), markup(m.text));
    if (!m.imports.empty()) {
      out += "<h2>Imports</h2>\n<ul class=\"contents\">\n";
      for (const Import& i : m.imports) {
        auto page = by_name_.find(i.module);
        std::string rest = escape(i.written.starts_with(i.module) ? i.written.substr(i.module.size()) : "");
        out += page == by_name_.end() ? fmt::format("<li><code>{}{}</code></li>\n", escape(i.module), rest)
                                      : fmt::format("<li><code><a href=\"{}\">{}</a>{}</code></li>\n",
                                                    escape(files_[page->second]), escape(i.module), rest);
      }
      out += "</ul>\n";
    }
    out += section(m, "Types", true) + section(m, "Definitions", false);
    return out;
  }

  std::string section(const Module& m, std::string_view title, bool types) const {
    std::string out;
    for (const Entry& e : m.entries)
      if (e.is_type() == types) out += entry(e);
    return out.empty() ? out : fmt::format("<h2>{}</h2>\n{}", title, out);
  }

  std::string entry(const Entry& e) const {
    std::string parameters = e.parameters.empty() ? "" : " " + escape(e.parameters);
    std::string head = fmt::format("<a class=\"name\" href=\"#{}\">{}</a>", anchor(e), escape(e.name));
    std::string more;
    switch (e.kind) {
      case Entry::Kind::Type: head = "type " + head + parameters + " = " + type(e.signature); break;
      case Entry::Kind::Record:
        head = "record " + head + parameters;
        more = fields(e);
        break;
      case Entry::Kind::Data: {
        head = "data " + head + parameters;
        more = "<ul>\n";
        for (const std::string& c : e.constructors) more += "<li><code>" + constructor(c) + "</code></li>\n";
        more += "</ul>\n";
        break;
      }
      case Entry::Kind::Foreign: head = "foreign " + head + " :: " + type(e.signature); break;
      case Entry::Kind::Definition:
        if (!e.signature.empty()) head += " :: " + type(e.signature);
        if (!e.application.empty()) more += "<p><code>" + escape(e.application) + "</code></p>\n";
        if (!e.units.empty()) more += "<p class=\"dim\">" + escape(e.units) + "</p>\n";
        if (e.structure.size() > kFolded)
          more += "<details><summary>structural type</summary><p><code>" + escape(e.structure) +
                  "</code></p></details>\n";
        else if (!e.structure.empty())
          more += "<p>structural type <code>" + escape(e.structure) + "</code></p>\n";
        break;
    }
    return fmt::format(
        "<section class=\"entry\" id=\"{}\">\n<h3><span class=\"signature\">{}</span></h3>\n{}{}</section>\n",
        anchor(e), head, more, markup(e.text));
  }

  /// The name of the constructor itself is not a type.
  std::string constructor(const std::string& text) const {
    std::size_t blank = std::min(text.find(' '), text.size());
    return escape(text.substr(0, blank)) + type(std::string_view(text).substr(blank));
  }

  std::string fields(const Entry& e) const {
    bool units = false, defaults = false;
    for (const Field& f : e.fields) {
      units = units || !f.unit.empty();
      defaults = defaults || !f.default_value.empty();
    }
    if (e.fields.empty()) return {};
    std::string out = "<div class=\"scroll\"><table>\n<tr><th>field</th><th>type</th>";
    if (units) out += "<th>unit</th>";
    if (defaults) out += "<th>default</th>";
    out += "</tr>\n";
    for (const Field& f : e.fields) {
      out += fmt::format("<tr><td><code>{}</code>{}</td><td><code>{}</code></td>", escape(f.name),
                         f.flow       ? " <span class=\"dim\">flow</span>"
                         : f.rotation ? " <span class=\"dim\">rotation</span>"
                                      : "",
                         type(f.type));
      if (units) out += "<td>" + escape(f.unit) + "</td>";
      if (defaults)
        out +=
            f.default_value.empty() ? "<td></td>" : "<td><code>" + escape(f.default_value) + "</code></td>";
      out += "</tr>\n";
    }
    return out + "</table></div>\n";
  }

  std::string index() const {
    std::string out = "<h1>Modules</h1>\n";
    for (std::size_t m = 0; m < modules_.size(); ++m) {
      out += fmt::format("<h2><a href=\"{}\">{}</a></h2>\n", escape(files_[m]), escape(modules_[m].name));
      if (std::string about = summary(modules_[m].text); !about.empty()) out += "<p>" + about + "</p>\n";
      if (modules_[m].entries.empty()) continue;
      out += "<ul class=\"contents\">\n";
      for (const Entry& e : modules_[m].entries) {
        std::string about = summary(e.text);
        out += fmt::format("<li><a href=\"{}#{}\"><code>{}</code></a>{}{}</li>\n", escape(files_[m]),
                           anchor(e), escape(e.name), about.empty() ? "" : " ", about);
      }
      out += "</ul>\n";
    }
    return out;
  }

  const std::vector<Module>& modules_;
  std::vector<std::string> files_;
  std::map<std::string, std::size_t> by_name_;
  std::map<std::size_t, std::map<std::string, std::string>> types_;
  std::size_t current_ = 0;
};

}  // namespace

std::string document(std::string_view title, std::string_view body, std::string_view style) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\"/>\n<title>{}</title>\n<style>{}{}</style>\n"
      "</head>\n<body>\n{}</body>\n</html>\n",
      escape(title), kStyle, style, body);
}

std::vector<Page> pages(const std::vector<Module>& modules) { return Writer(modules).run(); }

}  // namespace sigrel::doc

#include "compiler/base/name.h"

#include <deque>
#include <mutex>
#include <unordered_map>

namespace sigrel {
namespace {

struct Table {
  std::mutex mutex;
  std::deque<std::string> texts;  // a deque keeps the views of the map valid
  std::unordered_map<std::string_view, Name> ids;
  Table() { ids.emplace(texts.emplace_back(), Name{}); }
};

Table& table() {
  static Table t;
  return t;
}

}  // namespace

Name intern(std::string_view s) {
  Table& t = table();
  std::lock_guard lock(t.mutex);
  if (auto it = t.ids.find(s); it != t.ids.end()) return it->second;
  t.texts.emplace_back(s);
  Name id{t.texts.size() - 1};
  t.ids.emplace(t.texts.back(), id);
  return id;
}

bool is_interned(std::string_view s) {
  Table& t = table();
  std::lock_guard lock(t.mutex);
  return t.ids.contains(s);
}

std::string_view text(Name name) {
  Table& t = table();
  std::lock_guard lock(t.mutex);
  return t.texts[name.value];
}

}  // namespace sigrel

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "compiler/animate/animate.h"
#include "compiler/animate/colours.h"
#include "compiler/animate/embedded.h"
#include "compiler/doc/markup.h"
#include "compiler/doc/page.h"
#include "compiler/report/curves.h"
#include "compiler/report/embedded.h"

namespace sigrel::animate {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kRowsOfCurves = 4'000;

template <class T>
std::string base64(std::span<const T> values) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes(values.size_bytes(), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i)
      three = three << 8 | (k + i < bytes.size() ? static_cast<unsigned char>(bytes[k + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      out += k + i > bytes.size() ? '=' : kDigits[three >> (18 - 6 * i) & 63U];
  }
  return out;
}

ordered_json shape_data(const Scene& scene, const Shape& s) {
  constexpr const char* kKinds[] = {"box", "ball", "cylinder", "rod", "coil", "arrow", "trace", "axes"};
  ordered_json j = {{"kind", kKinds[s.kind]},
                    {"frame", s.frame},
                    {"size", s.size},
                    {"group", scene.groups[s.group]},
                    {"colour", colour_of(s)}};
  if (s.kind == Shape::Rod || s.kind == Shape::Coil) j["to"] = s.to;
  if (s.kind == Shape::Arrow) j["vector"] = s.vector;
  if (scene.planar && s.layer != 0) j["layer"] = s.layer;
  if (s.turn != Quaternion{1, 0, 0, 0}) j["turn"] = s.turn;
  return j;
}

ordered_json scene_data(const Animation& a) {
  const Movement& m = a.movement;
  ordered_json j;
  j["planar"] = a.scene.planar;
  j["times"] = base64(std::span<const double>(m.times));
  j["poses"] = base64(std::span<const float>(m.poses));
  j["vectors"] = base64(std::span<const float>(m.vectors));
  j["frames"] = a.scene.frames.size();
  j["vectorCount"] = a.scene.vectors.size();
  const View view = view_of(a.scene, m);
  j["low"] = view.low;
  j["high"] = view.high;
  j["ground"] = view.ground;
  if (const std::optional<Following> followed = following(a.scene, m))
    j["follow"] = {{"frames", followed->frames}, {"size", followed->size}};
  j["shapes"] = ordered_json::array();
  for (const Shape& s : a.scene.shapes) j["shapes"].push_back(shape_data(a.scene, s));
  j["groups"] = ordered_json::array();
  for (std::uint32_t g = 0; g < a.scene.groups.size(); ++g)
    if (std::ranges::any_of(a.scene.shapes, [&](const Shape& s) { return s.group == g; }))
      j["groups"].push_back(a.scene.groups[g]);
  return j;
}

}  // namespace

std::string page(const Animation& a) {
  const runtime::Trajectory& t = a.run.trajectory;
  ordered_json j;
  j["times"] = t.times();
  j["series"] = ordered_json::object();
  for (const std::vector<std::string>& pane : a.panes)
    for (const std::string& name : pane)
      if (const auto at = std::ranges::find(t.names(), name); at != t.names().end())
        j["series"][name] =
            report::curve(a.run, t, static_cast<std::size_t>(at - t.names().begin()), kRowsOfCurves, false);
  j["panes"] = a.panes;
  j["plays"] = true;
  j["scene"] = scene_data(a);
  std::string body = "<header><h1>" + doc::escape(a.title) +
                     "</h1><div id=\"clock\"><button id=\"play\" title=\"play or stop: space\">▶</button>"
                     "<select id=\"speed\" title=\"speed\" aria-label=\"speed\">";
  for (const char* speed : {"0.01", "0.1", "0.25", "0.5", "1", "2", "5", "10", "100"})
    body += fmt::format("<option value=\"{0}\"{1}>{0} ×</option>", speed,
                        std::string_view(speed) == "1" ? " selected=\"selected\"" : "");
  body +=
      "</select><input type=\"range\" id=\"time\" min=\"0\" max=\"1000\" step=\"any\" aria-label=\"time\"/>"
      "<span id=\"now\"></span></div></header>\n";
  body += fmt::format(
      "<main{}>\n<div id=\"stage\"><canvas id=\"scene\"></canvas><div id=\"parts\"></div><div "
      "id=\"hint\">{}{}{}</div>"
      "<p id=\"failed\">This browser has no WebGL, which draws the picture.</p></div>\n"
      "<div id=\"side\"><div id=\"panes\"></div></div>\n</main>\n",
      a.panes.empty() ? " class=\"alone\"" : "",
      a.scene.planar ? "drag to move, wheel to zoom, double-click for the whole"
                     : "drag to turn, shift-drag to move, wheel to zoom, double-click for the whole",
      a.movement.times.size() < a.movement.rows
          ? fmt::format(" · {} of the {} rows of the run", a.movement.times.size(), a.movement.rows)
          : std::string(),
      a.is_partial ? " · the parts of the first structure alone" : "");
  body += "<script type=\"application/json\" id=\"data\">" + report::script_text(j) + "</script>\n<script>" +
          std::string(report::kPlots) + std::string(kScript) + "</script>\n";
  return doc::document(a.title, body, kStyle);
}

}  // namespace sigrel::animate

// ---- why: from a variable to the equations and lines that determine it
const linked = (text) => {
  const out = [];
  let at = 0;
  for (const m of text.matchAll(/(?:\bat|-->) (\S+?):(\d+):\d+/g)) {
    const file = data.files.indexOf(m[1]);
    if (file < 0) continue;
    const start = m.index + m[0].length - m[0].split(" ")[1].length;
    out.push(text.slice(at, start), make("a", { href: `#f${file}l${m[2]}`, textContent: m[0].split(" ")[1] }));
    at = m.index + m[0].length;
  }
  out.push(text.slice(at));
  return out;
};
const panel = document.getElementById("why");
const named = why;
function why(name) {
  const text = data.why[name];
  if (!text) return make("span", { textContent: name });
  return make("a", { href: "#", textContent: name, title: "why?", onclick: (e) => {
    e.preventDefault();
    panel.replaceChildren(make("button", { textContent: "×", onclick: () => { panel.style.display = "none"; } }), make("pre", {}, ...linked(text)));
    panel.style.display = "block";
  } });
}
for (const e of document.querySelectorAll("[data-why]")) e.replaceChildren(why(e.dataset.why));
for (const e of document.querySelectorAll("pre.linked")) e.replaceChildren(...linked(e.textContent));

// ---- the tree of parts, with values at the cursor
const values = [];
const tree = { parts: new Map(), variables: [] };
for (const name of Object.keys(data.series)) {
  const inner = name.startsWith("der(") ? name.replace(/^(der\()+/, "").replace(/\)+$/, "") : name;
  const path = inner.split(/\.(?![^[(]*[\])])/);
  let node = tree;
  for (const part of path.slice(0, -1)) {
    if (!node.parts.has(part)) node.parts.set(part, { parts: new Map(), variables: [] });
    node = node.parts.get(part);
  }
  node.variables.push(name);
}
function branch(node, filter) {
  const out = [];
  for (const name of node.variables) {
    if (filter && !name.toLowerCase().includes(filter)) continue;
    const box = make("input", { type: "checkbox", title: "plot", checked: panes.some((p) => p.names.includes(name)) });
    box.onchange = () => {
      if (box.checked) panes[panes.length - 1].names.push(name);
      else for (const p of panes) p.names = p.names.filter((n) => n !== name);
      update();
    };
    const value = make("span", { className: "value" });
    values.push([name, value, box]);
    out.push(make("div", { className: "variable" }, box, why(name), value));
  }
  for (const [part, inner] of node.parts) {
    const inside = branch(inner, filter);
    if (inside.length) out.push(make("details", { open: Boolean(filter) || node === tree }, make("summary", { textContent: part }), ...inside));
  }
  return out;
}
const search = document.getElementById("search");
function fill() {
  values.length = 0;
  document.getElementById("variables").replaceChildren(...branch(tree, search.value.trim().toLowerCase()));
  update();
}
const slider = document.getElementById("time");
function update() {
  for (const pane of panes) pane.draw();
  for (const [name, element, box] of values) {
    const s = data.series[name];
    element.textContent = shown(s, valueAt(s, view.cursor));
    box.checked = panes.some((p) => p.names.includes(name));
  }
  slider.value = whole[1] > whole[0] ? 1000 * (view.cursor - whole[0]) / (whole[1] - whole[0]) : 0;
  document.getElementById("now").textContent = "t = " + +view.cursor.toPrecision(7) + " s";
}
slider.oninput = () => { view.cursor = whole[0] + slider.value / 1000 * (whole[1] - whole[0]); update(); };
search.oninput = fill;
document.getElementById("add").onclick = () => { new Pane([]); update(); };
for (const names of data.panes) new Pane(names);
if (!panes.length) new Pane(Object.keys(data.series).slice(0, 1));
fill();
addEventListener("resize", update);

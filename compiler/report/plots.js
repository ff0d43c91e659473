"use strict";
// Curves over time on canvases: of the report and of the animation. The page defines `data`, `named` (a name as an
// element) and `update`.
const data = JSON.parse(document.getElementById("data").textContent);
const colours = ["#2f6fb8", "#d9541e", "#2c9a5b", "#8b3fb0", "#b58900", "#c2327a", "#4b8f8c", "#7a5c3e"];
const make = (tag, properties, ...children) => {
  const e = Object.assign(document.createElement(tag), properties || {});
  e.append(...children);
  return e;
};
const shown = (series, v) => {
  if (v === undefined || v === null || Number.isNaN(v)) return "–";
  if (series.states && series.states[v] !== undefined) return series.states[v];
  const x = v * series.scale + series.offset;
  return (Math.abs(x) >= 1e6 || (x !== 0 && Math.abs(x) < 1e-4) ? x.toExponential(4) : String(+x.toPrecision(6))) +
    (series.unit ? " " + series.unit : "");
};

// ---- values: every series has the times of its own rows, because long ones are thinned
const rows = (series) => series.rows ? series.rows.map((k) => data.times[k]) : data.times;
for (const s of [...Object.values(data.series), ...Object.values(data.other || {})]) s.times = s.times || rows(s);
/// The last row at or before the time; of two rows of one time the later.
const rowAt = (times, t) => {
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle; else high = middle - 1;
  }
  return low;
};
const valueAt = (s, t) => {
  const k = rowAt(s.times, t), a = s.values[k], b = s.values[k + 1];
  if (s.steps || b === undefined || s.times[k + 1] === s.times[k] || t <= s.times[k]) return a;
  return a + (b - a) * (t - s.times[k]) / (s.times[k + 1] - s.times[k]);
};

// ---- plots: all panes share the range of time and the cursor
const whole = [data.times[0], data.times[data.times.length - 1]];
const view = { begin: whole[0], end: whole[1], cursor: whole[1] };
const panes = [];
const ticks = (low, high, count) => {
  const step = Math.pow(10, Math.floor(Math.log10((high - low) / count)));
  const width = [1, 2, 5, 10].map((f) => f * step).find((w) => (high - low) / w <= count) || step * 10;
  const found = [];
  for (let x = Math.ceil(low / width) * width; x <= high + width * 1e-9; x += width) found.push(+x.toPrecision(12));
  return found;
};
const label = (x) => x === 0 ? "0" : Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3 ? x.toExponential(1) : String(+x.toPrecision(6));
class Pane {
  constructor(names) {
    this.names = names;
    this.canvas = make("canvas");
    this.legend = make("div", { className: "legend" });
    document.getElementById("panes").append(this.canvas, this.legend);
    const time = (event) => {
      const box = this.canvas.getBoundingClientRect();
      const part = Math.min(1, Math.max(0, (event.clientX - box.left - 62) / (box.width - 74)));
      return view.begin + part * (view.end - view.begin);
    };
    this.canvas.addEventListener("pointerdown", (e) => { this.from = time(e); this.canvas.setPointerCapture(e.pointerId); });
    this.canvas.addEventListener("pointermove", (e) => { if (this.from !== undefined) { this.to = time(e); this.draw(); } });
    this.canvas.addEventListener("pointerup", (e) => {
      const to = time(e), from = this.from;
      this.from = this.to = undefined;
      if (Math.abs(to - from) > 0.01 * (view.end - view.begin)) [view.begin, view.end] = [Math.min(from, to), Math.max(from, to)];
      else view.cursor = to;
      update();
    });
    this.canvas.addEventListener("dblclick", () => { [view.begin, view.end] = whole; update(); });
    this.canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      const t = time(e), f = e.deltaY > 0 ? 1.25 : 0.8;
      view.begin = Math.max(whole[0], t - (t - view.begin) * f);
      view.end = Math.min(whole[1], t + (view.end - t) * f);
      update();
    }, { passive: false });
    panes.push(this);
  }
  curves() {
    const found = [];
    this.names.forEach((name, k) => {
      if (data.series[name]) found.push({ name, s: data.series[name], colour: colours[k % colours.length], dash: [] });
      if (data.other && data.other[name]) found.push({ name: name + " (" + data.otherTitle + ")", s: data.other[name], colour: colours[k % colours.length], dash: [5, 4] });
    });
    return found;
  }
  draw() {
    const c = this.canvas, scale = window.devicePixelRatio || 1, w = c.clientWidth, h = c.clientHeight;
    c.width = w * scale; c.height = h * scale;
    const g = c.getContext("2d"), style = getComputedStyle(document.body);
    g.scale(scale, scale);
    g.font = "11px system-ui, sans-serif";
    const left = 62, right = w - 12, top = 10, bottom = h - 26;
    const curves = this.curves();
    let low = Infinity, high = -Infinity;
    for (const { s } of curves) {
      const first = rowAt(s.times, view.begin), last = Math.min(s.times.length - 1, rowAt(s.times, view.end) + 1);
      for (let k = first; k <= last; ++k) {
        const v = s.values[k] * s.scale + s.offset;
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
    if (!(low <= high)) [low, high] = [0, 1];
    if (high - low < 1e-12 * Math.max(Math.abs(low), Math.abs(high), 1e-300)) { low -= Math.abs(low) * 0.1 || 1; high += Math.abs(high) * 0.1 || 1; }
    const margin = (high - low) * 0.05;
    low -= margin; high += margin;
    const x = (t) => left + (t - view.begin) / (view.end - view.begin || 1) * (right - left);
    const y = (v) => bottom - (v - low) / (high - low) * (bottom - top);
    g.strokeStyle = style.getPropertyValue("--line"); g.fillStyle = style.getPropertyValue("--dim"); g.lineWidth = 1;
    g.textAlign = "center";
    for (const t of ticks(view.begin, view.end || 1, 8)) { g.beginPath(); g.moveTo(x(t), top); g.lineTo(x(t), bottom); g.stroke(); g.fillText(label(t), x(t), bottom + 15); }
    g.textAlign = "right";
    for (const v of ticks(low, high, 6)) { g.beginPath(); g.moveTo(left, y(v)); g.lineTo(right, y(v)); g.stroke(); g.fillText(label(v), left - 6, y(v) + 4); }
    g.save();
    g.beginPath(); g.rect(left, top, right - left, bottom - top); g.clip();
    for (const { s, colour, dash } of curves) {
      g.strokeStyle = colour; g.lineWidth = 1.6; g.setLineDash(dash); g.beginPath();
      const first = Math.max(0, rowAt(s.times, view.begin) - 1), last = Math.min(s.times.length - 1, rowAt(s.times, view.end) + 2);
      let pen = false, before = 0;
      for (let k = first; k <= last; ++k) {
        const v = s.values[k];
        if (v === null) { pen = false; continue; }
        const at = y(v * s.scale + s.offset);
        if (!pen) g.moveTo(x(s.times[k]), at);
        else { if (s.steps) g.lineTo(x(s.times[k]), before); g.lineTo(x(s.times[k]), at); }
        pen = true; before = at;
      }
      g.stroke();
    }
    g.setLineDash([2, 3]); g.strokeStyle = style.getPropertyValue("--text"); g.lineWidth = 1;
    g.beginPath(); g.moveTo(x(view.cursor), top); g.lineTo(x(view.cursor), bottom); g.stroke();
    if (this.to !== undefined) { g.fillStyle = "#2f6fb833"; g.fillRect(x(this.from), top, x(this.to) - x(this.from), bottom - top); }
    g.restore();
    this.legend.replaceChildren(...curves.map(({ name, s, colour, dash }) => make("span", {},
      make("span", { className: "dash", style: `border-color:${colour};border-top-style:${dash.length ? "dashed" : "solid"}` }),
      named(name), " = " + shown(s, valueAt(s, view.cursor)),
      make("button", { textContent: "×", title: "remove", onclick: () => { this.names = this.names.filter((n) => n !== name); update(); } }))));
  }
}


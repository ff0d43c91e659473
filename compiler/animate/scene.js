// The moving picture: shapes on frames that move, drawn by WebGL 1. Lengths are metres, times seconds; matrices have
// columns after each other, as WebGL reads them.
const floats = (text, Type) => {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Type(bytes.buffer, 0, bytes.length / Type.BYTES_PER_ELEMENT);
};
const scene = data.scene;
const sceneTimes = floats(scene.times, Float64Array), poses = floats(scene.poses, Float32Array);
const vectors = floats(scene.vectors, Float32Array);
const frameCount = scene.frames, vectorCount = scene.vectorCount;
const hidden = new Set();
function named(name) { return make("span", { textContent: name }); }

// ---- vectors, quaternions (real part first) and matrices
const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const times = (s, a) => [s * a[0], s * a[1], s * a[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => { const n = norm(a); return n > 0 ? times(1 / n, a) : [0, 0, 1]; };
const rotate = (q, v) => {
  const u = [q[1], q[2], q[3]], t = times(2, cross(u, v));
  return add(add(v, times(q[0], t)), cross(u, t));
};
/// The columns of the rotation that turns the third axis to d.
const towards = (d) => {
  const z = unit(d), x = unit(cross(Math.abs(z[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0], z));
  return [x, cross(z, x), z];
};
/// Columns of a rotation, scaled along its axes, and a position.
const place = (columns, scale, r) => [
  columns[0][0] * scale[0], columns[0][1] * scale[0], columns[0][2] * scale[0], 0,
  columns[1][0] * scale[1], columns[1][1] * scale[1], columns[1][2] * scale[1], 0,
  columns[2][0] * scale[2], columns[2][1] * scale[2], columns[2][2] * scale[2], 0,
  r[0], r[1], r[2], 1];
const product = (a, b) => {
  const c = new Array(16);
  for (let i = 0; i < 4; ++i) for (let j = 0; j < 4; ++j)
    c[4 * j + i] = a[i] * b[4 * j] + a[4 + i] * b[4 * j + 1] + a[8 + i] * b[4 * j + 2] + a[12 + i] * b[4 * j + 3];
  return c;
};

// ---- poses at a time: positions between rows are interpolated linearly, rotations along the shorter arc
let now = { row: 0, part: 0 };
function poseOf(frame) {
  const at = (row) => (row * frameCount + frame) * 7, a = at(now.row), b = at(Math.min(now.row + 1, sceneTimes.length - 1)), f = now.part;
  const q = [], r = [];
  let sign = 0;
  for (let k = 0; k < 4; ++k) sign += poses[a + 3 + k] * poses[b + 3 + k];
  sign = sign < 0 ? -1 : 1;
  for (let k = 0; k < 3; ++k) r.push(poses[a + k] + f * (poses[b + k] - poses[a + k]));
  for (let k = 0; k < 4; ++k) q.push(poses[a + 3 + k] + f * (sign * poses[b + 3 + k] - poses[a + 3 + k]));
  const n = Math.hypot(...q) || 1;
  return { r, q: q.map((x) => x / n) };
}
function vectorOf(index) {
  const at = (row) => (row * vectorCount + index) * 3, a = at(now.row), b = at(Math.min(now.row + 1, sceneTimes.length - 1));
  return [0, 1, 2].map((k) => vectors[a + k] + now.part * (vectors[b + k] - vectors[a + k]));
}
function moveTo(t) {
  const row = rowAt(sceneTimes, t), next = sceneTimes[row + 1];
  now = { row, part: next > sceneTimes[row] && t > sceneTimes[row] ? Math.min(1, (t - sceneTimes[row]) / (next - sceneTimes[row])) : 0 };
}

// ---- meshes: positions and normals
const mesh = { box: [], cylinder: [], ball: [], cone: [], coil: [] };
const triangle = (m, a, b, c, na, nb, nc) => { for (const [p, n] of [[a, na], [b, nb], [c, nc]]) m.push(...p, ...n); };
const quad = (m, a, b, c, d, na, nb, nc, nd) => { triangle(m, a, b, c, na, nb, nc); triangle(m, a, c, d, na, nc, nd); };
for (let axis = 0; axis < 3; ++axis) for (const side of [-1, 1]) {
  const corner = (u, v) => { const p = [0, 0, 0]; p[axis] = side / 2; p[(axis + 1) % 3] = u / 2; p[(axis + 2) % 3] = v / 2 * side; return p; };
  const n = [0, 0, 0]; n[axis] = side;
  quad(mesh.box, corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1), n, n, n, n);
}
const facets = 28, circle = (k) => [Math.cos(2 * Math.PI * k / facets), Math.sin(2 * Math.PI * k / facets)];
for (let k = 0; k < facets; ++k) {
  const [x, y] = circle(k), [u, v] = circle(k + 1), up = [0, 0, 1], down = [0, 0, -1], s = 0.7071;
  quad(mesh.cylinder, [x, y, -0.5], [u, v, -0.5], [u, v, 0.5], [x, y, 0.5], [x, y, 0], [u, v, 0], [u, v, 0], [x, y, 0]);
  triangle(mesh.cylinder, [0, 0, 0.5], [x, y, 0.5], [u, v, 0.5], up, up, up);
  triangle(mesh.cylinder, [0, 0, -0.5], [u, v, -0.5], [x, y, -0.5], down, down, down);
  triangle(mesh.cone, [x, y, 0], [u, v, 0], [0, 0, 1], [x * s, y * s, s], [u * s, v * s, s], [x * s, y * s, s]);
  triangle(mesh.cone, [0, 0, 0], [u, v, 0], [x, y, 0], down, down, down);
  for (let j = 0; j < facets / 2; ++j) {
    const ring = (i) => [Math.cos(2 * Math.PI * i / facets - Math.PI / 2), Math.sin(2 * Math.PI * i / facets - Math.PI / 2)];
    const [c0, z0] = ring(j), [c1, z1] = ring(j + 1), p = [[x * c0, y * c0, z0], [u * c0, v * c0, z0], [u * c1, v * c1, z1], [x * c1, y * c1, z1]];
    quad(mesh.ball, ...p, ...p);
  }
}
{ // A wire that winds eight times from z = 0 to 1 at radius 1, between straight ends.
  const steps = 240, wire = 0.16, point = (k) => {
    const s = k / steps, a = 16 * Math.PI * s, r = Math.min(1, 12 * s, 12 * (1 - s));
    return [r * Math.cos(a), r * Math.sin(a), s];
  };
  for (let k = 0; k < steps; ++k) {
    const ring = (i) => {
      const p = point(i), t = unit(sub(point(Math.min(steps, i + 1)), point(Math.max(0, i - 1)))), out = unit([p[0], p[1], 0.001]), other = cross(t, out);
      return [0, 1, 2, 3, 4, 5].map((j) => add(times(Math.cos(j * Math.PI / 3), out), times(Math.sin(j * Math.PI / 3), other))).map((n) => [add(p, [n[0] * wire, n[1] * wire, n[2] * 0.012]), n]);
    };
    const a = ring(k), b = ring(k + 1);
    for (let j = 0; j < 6; ++j) { const i = (j + 1) % 6; quad(mesh.coil, a[j][0], a[i][0], b[i][0], b[j][0], a[j][1], a[i][1], b[i][1], b[j][1]); }
  }
}

// ---- WebGL
const stage = document.getElementById("scene");
const gl = stage.getContext("webgl", { antialias: true, stencil: true, preserveDrawingBuffer: true });
if (!gl) document.getElementById("failed").style.display = "block";
const compiled = (kind, text) => {
  const shader = gl.createShader(kind);
  gl.shaderSource(shader, text);
  gl.compileShader(shader);
  return shader;
};
let program, uniforms, buffers;
if (gl) {
  program = gl.createProgram();
  gl.attachShader(program, compiled(gl.VERTEX_SHADER, `
    attribute vec3 p, n; uniform mat4 model, view; uniform vec3 scale; varying vec3 normal, at;
    void main() { vec4 w = model * vec4(p, 1.0); at = w.xyz; normal = mat3(model) * (n / scale / scale); gl_Position = view * w; }`));
  gl.attachShader(program, compiled(gl.FRAGMENT_SHADER, `
    precision mediump float; varying vec3 normal, at; uniform vec4 colour; uniform vec3 eye; uniform float lit;
    void main() {
      vec3 n = normalize(normal), light = normalize(vec3(0.35, -0.5, 0.85)), look = normalize(eye - at);
      float d = max(dot(n, light), 0.0), s = pow(max(dot(reflect(-light, n), look), 0.0), 24.0);
      vec3 c = colour.rgb * (0.42 + 0.10 * n.z + 0.55 * d) + 0.18 * s;
      gl_FragColor = vec4(mix(colour.rgb, c, lit), colour.a);
    }`));
  gl.linkProgram(program);
  gl.useProgram(program);
  uniforms = Object.fromEntries(["model", "view", "scale", "colour", "eye", "lit"].map((name) => [name, gl.getUniformLocation(program, name)]));
  buffers = {};
  for (const [name, values] of Object.entries(mesh)) {
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.STATIC_DRAW);
    buffers[name] = { buffer, count: values.length / 6 };
  }
}
const attribute = (name, size, stride, offset) => {
  const at = gl.getAttribLocation(program, name);
  gl.enableVertexAttribArray(at);
  gl.vertexAttribPointer(at, size, gl.FLOAT, false, stride, offset);
};
function drawMesh(name, matrix, scale, colour) {
  const { buffer, count } = buffers[name];
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  attribute("p", 3, 24, 0);
  attribute("n", 3, 24, 12);
  gl.uniformMatrix4fv(uniforms.model, false, matrix);
  gl.uniform3fv(uniforms.scale, scale);
  gl.uniform4fv(uniforms.colour, colour);
  gl.uniform1f(uniforms.lit, 1);
  gl.drawArrays(gl.TRIANGLES, 0, count);
}
const lineBuffer = gl && gl.createBuffer();
function drawLines(points, colour, strip) {
  if (points.length < 6) return;
  gl.bindBuffer(gl.ARRAY_BUFFER, lineBuffer);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points), gl.DYNAMIC_DRAW);
  attribute("p", 3, 12, 0);
  attribute("n", 3, 12, 0);
  gl.uniformMatrix4fv(uniforms.model, false, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
  gl.uniform3fv(uniforms.scale, [1, 1, 1]);
  gl.uniform4fv(uniforms.colour, colour);
  gl.uniform1f(uniforms.lit, 0);
  gl.drawArrays(strip ? gl.LINE_STRIP : gl.LINES, 0, points.length / 3);
}

// ---- the camera
const low = scene.low, high = scene.high, allSize = Math.max(norm(sub(high, low)), 1e-9), allMiddle = times(0.5, add(low, high));
let size = allSize, middle = allMiddle, follows = false;
const middleOf = (frames) => {
  const b = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (const { r } of frames.map(poseOf)) if (r.every(Number.isFinite)) for (let k = 0; k < 3; ++k) { b[0][k] = Math.min(b[0][k], r[k]); b[1][k] = Math.max(b[1][k], r[k]); }
  return b[0].every(Number.isFinite) ? times(0.5, add(b[0], b[1])) : middle;
};
const home = () => ({ target: middle.slice(), distance: size * (scene.planar ? 1 : 1.2), azimuth: -0.9, elevation: 0.38 });
let camera = home();
function follow(on) {
  follows = on;
  size = on ? scene.follow.size : allSize;
  middle = on ? middleOf(scene.follow.frames) : allMiddle;
  camera = home();
}
/// Moves the camera with what it follows, from where it was turned and moved to.
function followOn() {
  if (!follows) return;
  const next = middleOf(scene.follow.frames);
  camera.target = add(camera.target, sub(next, middle));
  middle = next;
}
const axesOf = () => {
  const { azimuth: a, elevation: e } = camera;
  const back = scene.planar ? [0, 0, 1] : [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
  const right = scene.planar ? [1, 0, 0] : [-Math.sin(a), Math.cos(a), 0];
  return { right, up: cross(back, right), back };
};
function viewMatrix(aspect) {
  const { right, up, back } = axesOf(), eye = add(camera.target, times(camera.distance, back));
  const look = [right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0, -dot(right, eye), -dot(up, eye), -dot(back, eye), 1];
  const near = camera.distance / 50, far = camera.distance * 4 + allSize * 4;
  let project;
  if (scene.planar) {
    const h = camera.distance * 0.56 / Math.min(1, aspect);
    project = [1 / (h * aspect), 0, 0, 0, 0, 1 / h, 0, 0, 0, 0, -2 / (far + allSize * 4), 0, 0, 0, 0, 1];
  } else {
    const f = 1 / Math.tan(0.36) * Math.min(1, aspect);
    project = [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0];
  }
  return { matrix: product(project, look), eye };
}
const pointers = new Map();
const pan = (dx, dy) => {
  const { right, up } = axesOf(), f = camera.distance * (scene.planar ? 1.12 : 0.75) / stage.clientHeight;
  camera.target = add(camera.target, add(times(-dx * f, right), times(dy * f, up)));
};
const zoom = (f) => { camera.distance = Math.min(size * 50, Math.max(size / 200, camera.distance * f)); };
stage.addEventListener("pointerdown", (e) => { stage.setPointerCapture(e.pointerId); pointers.set(e.pointerId, [e.clientX, e.clientY]); });
stage.addEventListener("pointerup", (e) => pointers.delete(e.pointerId));
stage.addEventListener("pointercancel", (e) => pointers.delete(e.pointerId));
stage.addEventListener("pointermove", (e) => {
  const from = pointers.get(e.pointerId);
  if (!from) return;
  const dx = e.clientX - from[0], dy = e.clientY - from[1];
  if (pointers.size === 2) {
    const other = [...pointers].find(([id]) => id !== e.pointerId)[1];
    zoom(Math.hypot(from[0] - other[0], from[1] - other[1]) / Math.max(1, Math.hypot(e.clientX - other[0], e.clientY - other[1])));
    pan(dx / 2, dy / 2);
  } else if (scene.planar || e.shiftKey || (e.buttons & 6)) pan(dx, dy);
  else {
    camera.azimuth -= dx * 0.008;
    camera.elevation = Math.max(-1.55, Math.min(1.55, camera.elevation + dy * 0.008));
  }
  pointers.set(e.pointerId, [e.clientX, e.clientY]);
  draw();
});
stage.addEventListener("contextmenu", (e) => e.preventDefault());
stage.addEventListener("wheel", (e) => { e.preventDefault(); zoom(e.deltaY > 0 ? 1.12 : 0.89); draw(); }, { passive: false });
stage.addEventListener("dblclick", () => { camera = home(); draw(); });

// ---- drawing
const dark = () => matchMedia("(prefers-color-scheme: dark)").matches;
/// Calls visit(mesh, columns of a rotation, scale, position) for the meshes of a shape.
function meshes(shape, visit) {
  const a = poseOf(shape.frame);
  if (!a.r.every(Number.isFinite)) return;
  const local = (q) => [rotate(q, [1, 0, 0]), rotate(q, [0, 1, 0]), rotate(q, [0, 0, 1])];
  const turned = () => (shape.turn ? local(shape.turn) : [[1, 0, 0], [0, 1, 0], [0, 0, 1]]).map((c) => rotate(a.q, c));
  const lift = [0, 0, (shape.layer || 0) * 0.03 * size], centre = add(a.r, lift);
  if (shape.kind === "box") visit("box", turned(), shape.size, centre);
  else if (shape.kind === "ball") visit("ball", turned(), shape.size, centre);
  else if (shape.kind === "cylinder") visit("cylinder", turned(), shape.size, centre);
  else if (shape.kind === "rod" || shape.kind === "coil") {
    const b = add(poseOf(shape.to).r, lift), d = sub(b, centre), l = norm(d);
    if (!(l > 1e-9 * size)) return;
    if (shape.kind === "rod") visit("cylinder", towards(d), [shape.size[0], shape.size[0], l], times(0.5, add(centre, b)));
    else visit("coil", towards(d), [shape.size[0], shape.size[0], l], centre);
  } else if (shape.kind === "arrow") {
    const v = times(shape.size[0], vectorOf(shape.vector)), l = norm(v);
    if (!(l > 0.01 * size)) return;
    const r = 0.005 * size, columns = towards(v), head = Math.min(0.3 * l, 5 * r);
    // The arrow ends where the force acts.
    visit("cylinder", columns, [r, r, l - head], sub(a.r, times(0.5 * (l + head) / l, v)));
    visit("cone", columns, [2.4 * r, 2.4 * r, head], sub(a.r, times(head / l, v)));
  }
}
const rgb = (hex, alpha) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255).concat(alpha === undefined ? 1 : alpha);
function draw() {
  if (!gl) return;
  const scale = window.devicePixelRatio || 1, w = Math.round(stage.clientWidth * scale), h = Math.round(stage.clientHeight * scale);
  if (stage.width !== w || stage.height !== h) { stage.width = w; stage.height = h; }
  gl.viewport(0, 0, w, h);
  const back = dark() ? [0.09, 0.10, 0.12] : [0.955, 0.965, 0.975];
  gl.clearColor(...back, 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST);
  gl.disable(gl.BLEND);
  const { matrix, eye } = viewMatrix(w / Math.max(1, h));
  gl.uniformMatrix4fv(uniforms.view, false, matrix);
  gl.uniform3fv(uniforms.eye, eye);
  const grid = dark() ? [0.25, 0.27, 0.30, 1] : [0.82, 0.84, 0.86, 1], lines = [];
  const step = Math.pow(10, Math.floor(Math.log10(size / 3))), reach = 10 * step * Math.ceil(size / step / 10), g = scene.planar ? 0 : follows && middle[2] - scene.ground > size ? middle[2] - 0.5 * size : scene.ground;  // in view
  const x0 = Math.round(middle[0] / step) * step, y0 = Math.round(middle[1] / step) * step;
  for (let k = -reach; k <= reach + step / 2; k += step) {
    const z = scene.planar ? -size : g;
    lines.push(x0 + k, y0 - reach, z, x0 + k, y0 + reach, z, x0 - reach, y0 + k, z, x0 + reach, y0 + k, z);
  }
  drawLines(lines, grid, false);
  const shown = scene.shapes.filter((s) => !hidden.has(s.group));
  if (!scene.planar) {
    // Shadows on the ground: every pixel once.
    const light = unit([0.35, -0.5, 0.85]), z = g + 2e-4 * size;
    const flat = [1, 0, 0, 0, 0, 1, 0, 0, -light[0] / light[2], -light[1] / light[2], 0, 0, z * light[0] / light[2], z * light[1] / light[2], z, 1];
    gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.enable(gl.STENCIL_TEST); gl.stencilFunc(gl.EQUAL, 0, 255); gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.depthMask(false);
    gl.uniform1f(uniforms.lit, 0);
    for (const s of shown) if (s.kind !== "arrow") meshes(s, (name, columns, scales, r) => {
      const { buffer, count } = buffers[name];
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      attribute("p", 3, 24, 0); attribute("n", 3, 24, 12);
      gl.uniformMatrix4fv(uniforms.model, false, product(flat, place(columns, scales, r)));
      gl.uniform3fv(uniforms.scale, [1, 1, 1]);
      gl.uniform4fv(uniforms.colour, [0, 0, 0, dark() ? 0.45 : 0.2]);
      gl.uniform1f(uniforms.lit, 0);
      gl.drawArrays(gl.TRIANGLES, 0, count);
    });
    gl.depthMask(true); gl.disable(gl.STENCIL_TEST); gl.disable(gl.BLEND);
  }
  for (const s of shown) {
    const colour = rgb(s.colour);
    if (s.kind === "trace") {
      const points = [];
      for (let row = 0; row <= now.row; ++row) { const at = (row * frameCount + s.frame) * 7; if (Number.isFinite(poses[at])) points.push(poses[at], poses[at + 1], poses[at + 2]); }
      points.push(...poseOf(s.frame).r);
      drawLines(points, colour, true);
    } else if (s.kind === "axes") {
      const { r, q } = poseOf(s.frame);
      [[1, 0, 0], [0, 1, 0], [0, 0, 1]].slice(0, scene.planar ? 2 : 3).forEach((e, k) => drawLines([...r, ...add(r, times(0.07 * size, rotate(q, e)))], [k === 0 ? 0.85 : 0.15, k === 1 ? 0.6 : 0.2, k === 2 ? 0.85 : 0.2, 1], false));
    } else meshes(s, (name, columns, scales, r) => drawMesh(name, place(columns, scales, r), scales, colour));
  }
}

// ---- time
const slider = document.getElementById("time"), play = document.getElementById("play"), speed = document.getElementById("speed");
let playing = false, before = 0;
function update() {
  moveTo(view.cursor);
  followOn();
  draw();
  for (const pane of panes) pane.draw();
  slider.value = whole[1] > whole[0] ? 1000 * (view.cursor - whole[0]) / (whole[1] - whole[0]) : 0;
  document.getElementById("now").textContent = "t = " + view.cursor.toFixed(whole[1] - whole[0] < 1 ? 4 : 2) + " s";
}
function frame(at) {
  if (!playing) return;
  view.cursor += Math.min(0.1, (at - before) / 1000) * speed.value;
  before = at;
  if (view.cursor > whole[1]) view.cursor = whole[0];
  update();
  requestAnimationFrame(frame);
}
function toggle() {
  playing = !playing;
  play.textContent = playing ? "❚❚" : "▶";
  if (playing) { if (view.cursor >= whole[1]) view.cursor = whole[0]; before = performance.now(); requestAnimationFrame(frame); }
}
play.onclick = toggle;
slider.oninput = () => { view.cursor = whole[0] + slider.value / 1000 * (whole[1] - whole[0]); update(); };
addEventListener("keydown", (e) => { if (e.key === " " && e.target === document.body) { e.preventDefault(); toggle(); } });
const parts = document.getElementById("parts");
if (scene.follow) {
  const box = make("input", { type: "checkbox", checked: true });
  box.onchange = () => { follow(box.checked); draw(); };
  parts.append(make("label", {}, box, " follow"));
}
for (const name of scene.groups.length > 1 ? scene.groups : []) {
  const box = make("input", { type: "checkbox", checked: true });
  box.onchange = () => { if (box.checked) hidden.delete(name); else hidden.add(name); draw(); };
  parts.append(make("label", {}, box, " " + (name || "model")));
}
for (const names of data.panes) new Pane(names);
// #t=1.5 in the address shows this time.
const asked = /[#&]t=([-+0-9.e]+)/.exec(location.hash);
view.cursor = asked ? Math.min(whole[1], Math.max(whole[0], +asked[1])) : whole[0];
moveTo(view.cursor);
if (scene.follow) follow(true);
addEventListener("resize", update);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", update);
update();
if (!asked && data.plays) toggle();

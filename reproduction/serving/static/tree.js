// The tree of an equation: laid out, drawn, coloured, and walked through with the arrow keys.

import { draw, find, formula, grade, make, percent, shown } from "./elements.js";

const GAP = 6, MARGIN = 8, BETWEEN = 28, LINE = 15;
const LIKENESS = ["surely different (below 10 %)", "rather different", "undecided (40 to 60 %)", "rather equal",
  "surely equal (above 90 %)"];
const ERRORS = ["off by more than 1", "off by up to 1", "off by up to 0.5", "off by up to 0.2", "off by up to 0.05"];
const BOUNDS = [1, 0.5, 0.2, 0.05];

const MOST_UNFOLDED = 31, FOLDED_BELOW = 3; // nodes that are drawn at once; of larger trees those down to this level

let nodes = [], colouring = "likeness", chosen = "", folded = new Set();

const key = (node) => node.path.join(".");
const parentKey = (node) => node.path.slice(0, -1).join(".");
const hasValue = (node) => node.value !== null && node.true_value !== null;

function nodeGrade(node) {
  if (colouring === "likeness") return grade(node.probability);
  if (!hasValue(node)) return null;
  return BOUNDS.filter((bound) => Math.abs(node.value - node.true_value) <= bound).length;
}

/** The numbers under a node's symbol, a line each. */
function numbersUnder(node) {
  if (colouring === "likeness") return [percent(node.probability)];
  return node.value === null ? [] : [shown(node.value), shown(node.true_value)];
}

const height = () => 25 + LINE * (colouring === "likeness" ? 1 : 2);

function nodeSentence(node) {
  const parts = [`equals the other side: ${percent(node.probability)}`];
  if (node.value !== null) parts.push(`decoded value ${shown(node.value, 3)}`);
  if (node.true_value !== null) parts.push(`true value ${shown(node.true_value, 3)}`);
  return parts.join(", ");
}

/** Places every node: leaves side by side, parents above the middle of their children. */
function layOut(root) {
  let right = MARGIN;
  const place = (node, depth) => {
    node.width = Math.max(34, 9 * node.label.length + 14, ...node.numbers.map((text) => 6.5 * text.length + 10));
    node.y = MARGIN + depth * (height() + BETWEEN);
    if (!node.children.length) {
      node.x = right + node.width / 2;
      right += node.width + GAP;
      return;
    }
    const before = right;
    for (const child of node.children) place(child, depth + 1);
    node.x = (node.children[0].x + node.children.at(-1).x) / 2;
    if (node.x - node.width / 2 < before) shift(node, before - (node.x - node.width / 2));
    right = Math.max(right, node.x + node.width / 2 + GAP);
  };
  const shift = (node, by) => {
    node.x += by;
    for (const child of node.children) shift(child, by);
    right = Math.max(right, node.x + node.width / 2 + GAP);
  };
  place(root, 0);
  return right - GAP + MARGIN;
}

function asTree() {
  const made = new Map();
  const root = { path: [], label: "=", numbers: [], children: [] };
  if (nodes.some((node) => node.path.length)) made.set("", root);
  for (const node of nodes) {
    const drawn = { node, path: node.path, label: node.label, numbers: numbersUnder(node), children: [] };
    const parent = node.path.length ? made.get(parentKey(node)) : null;
    if (node.path.length && (!parent || folded.has(parentKey(node)))) continue; // inside of what is folded
    made.set(key(node), drawn);
    parent?.children.push(drawn);
  }
  return made.get("");
}

function drawNode({ node, label, numbers, x, y, width, path, children }) {
  const level = node ? nodeGrade(node) : null;
  const group = draw("g", {
    class: level === null ? "plain" : `grade-${level}`, transform: `translate(${x},${y})`, role: "treeitem",
    tabindex: -1, "data-path": path.join("."), "aria-level": path.length + 1,
    "aria-label": node ? `${node.text}: ${nodeSentence(node)}` : "equals",
    "aria-expanded": children.length ? "true" : folded.has(path.join(".")) ? "false" : null,
  });
  group.append(draw("rect", { x: -width / 2, y: 0, width, height: height(), rx: 8 }));
  if (folded.has(path.join("."))) group.append(draw("text", { y: height() + 16, class: "number" }, "⋯"));
  group.append(draw("text", { y: numbers.length ? 17 : height() / 2 + 5, class: node?.kind }, label));
  group.append(...numbers.map((text, line) => draw("text", { y: 33 + LINE * line, class: "number" }, text)));
  return group;
}

function* walk(drawn) {
  yield drawn;
  for (const child of drawn.children) yield* walk(child);
}

function redraw() {
  const svg = find("tree");
  svg.replaceChildren();
  if (!nodes.length) return;
  const root = asTree();
  const width = layOut(root), all = [...walk(root)];
  const bottom = Math.max(...all.map((each) => each.y)) + height() + MARGIN + (folded.size ? LINE : 0);
  svg.setAttribute("viewBox", `0 0 ${width} ${bottom}`);
  svg.setAttribute("width", width);
  svg.setAttribute("height", bottom);
  for (const each of all) {
    for (const child of each.children) {
      const start = each.y + height(), middle = (start + child.y) / 2;
      svg.append(draw("path", { class: "edge",
        d: `M${each.x},${start} C${each.x},${middle} ${child.x},${middle} ${child.x},${child.y}` }));
    }
  }
  svg.append(...all.map(drawNode));
  const first = svg.querySelector(`[data-path="${chosen}"]`) ?? svg.querySelector("g");
  choose(first, false);
  drawLegend();
}

function drawLegend() {
  const words = colouring === "likeness" ? LIKENESS : ERRORS;
  const items = words.map((word, level) => make("li", { class: `grade-${level}` },
    draw("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" }, draw("rect", { x: 1, y: 1, width: 10, height: 10, rx: 3 })), word));
  const about = colouring === "likeness" ? [] : [make("li", {}, "numbers: decoded, below it the true one")];
  find("legend").replaceChildren(...items.reverse(), ...about);
}

function choose(group, focus = true) {
  const svg = find("tree");
  for (const each of svg.querySelectorAll("g")) {
    each.setAttribute("tabindex", each === group ? 0 : -1);
    each.classList.toggle("chosen", each === group && focus);
  }
  if (!focus) return void find("node").replaceChildren("Choose a part of the tree to see what the network makes of it; once more, or Enter, folds it.");
  chosen = group.dataset.path;
  group.focus({ preventScroll: true });
  const node = nodes.find((each) => key(each) === chosen);
  find("node").replaceChildren(...(node ? [formula(node.mathml), `: ${nodeSentence(node)}`] : ["= compares the two sides"]));
}

function neighbour(group, step) {
  const svg = find("tree"), path = group.dataset.path;
  const at = (name) => svg.querySelector(`[data-path="${name}"]`);
  const parts = path === "" ? [] : path.split(".");
  if (step === "ArrowUp") return parts.length ? at(parts.slice(0, -1).join(".")) : null;
  if (step === "ArrowDown") return at([...parts, 0].join("."));
  if (step === "Home") return svg.querySelector("g");
  const level = [...svg.querySelectorAll("g")].filter((each) => each.getAttribute("aria-level") === group.getAttribute("aria-level"));
  return level[level.indexOf(group) + (step === "ArrowRight" ? 1 : -1)];
}

function hasParts(path) {
  const inside = path === "" ? "" : `${path}.`;
  return nodes.some((node) => key(node) !== path && key(node).startsWith(inside));
}

function toggle(path) {
  if (!hasParts(path)) return;
  if (!folded.delete(path)) folded.add(path);
  redraw();
  choose(find("tree").querySelector(`[data-path="${path}"]`));
}

function foldLargeTrees() {
  const deep = (node) => node.path.length === FOLDED_BELOW && hasParts(key(node));
  folded = new Set(nodes.length > MOST_UNFOLDED ? nodes.filter(deep).map(key) : []);
}

function onKey(event) {
  const group = event.target.closest("g");
  if (group && ["Enter", " "].includes(event.key)) {
    event.preventDefault();
    return toggle(group.dataset.path);
  }
  if (!group || !["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home"].includes(event.key)) return;
  event.preventDefault();
  const next = neighbour(group, event.key);
  if (next) {
    choose(next);
    next.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

/** Shows the tree of an answer; values can be shown where the network decodes any. */
export function showTree(answer) {
  nodes = answer ? answer.nodes : [];
  chosen = "";
  const byValue = find("colouring").querySelector("[value=value]");
  byValue.disabled = !nodes.some(hasValue);
  byValue.parentElement.classList.toggle("off", byValue.disabled);
  colouring = byValue.checked && !byValue.disabled ? "value" : "likeness";
  find("colouring").querySelector(`[value=${colouring}]`).checked = true;
  find("tree-section").hidden = !nodes.length;
  foldLargeTrees();
  redraw();
}

export function prepareTree() {
  find("tree").addEventListener("click", (event) => {
    const group = event.target.closest("g");
    if (group && group.dataset.path === chosen && group.classList.contains("chosen")) toggle(chosen);
    else if (group) choose(group);
  });
  find("tree-fit").addEventListener("click", (event) => {
    const fits = find("tree").classList.toggle("fit");
    event.currentTarget.setAttribute("aria-pressed", String(fits));
  });
  find("tree-unfold").addEventListener("click", () => {
    folded.clear();
    redraw();
  });
  find("tree").addEventListener("keydown", onKey);
  find("colouring").addEventListener("change", (event) => {
    colouring = event.target.value;
    redraw();
  });
}

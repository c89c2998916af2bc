// The fillings of a blank as a list to walk through: whatever is chosen is filled in and answered like any equation.

import { find, formula, make, percent, shown } from "./elements.js";

let fillings = [], onChosen = () => {};

const RIGHT = ["✓", "right", "correct"], WRONG = ["✗", "wrong", "not correct"], OPEN = ["?", "open", "not settled"];

function mark(filling) {
  if (filling.is_right) return RIGHT;
  return filling.judge_verdict === "incorrect" || filling.fits === false ? WRONG : OPEN;
}

/** What the network alone would have said, and what was tried. */
function about(answer) {
  const numeric = fillings.some((filling) => filling.fits !== null);
  const guess = answer.first_guess, tried = Object.entries(answer.tried).map(([kind, count]) => `${count} ${kind}`);
  return (numeric ? "Numbers: what the network decodes / what is true. " : "What the judges confirm comes first. ") +
    (guess && !guess.is_right ? `The network's own first guess is ${guess.expression} (${numberOf(guess)}), which is not correct. ` : "") +
    `Tried: ${tried.join(", ")}. Click one or use the arrow keys to have it answered.`;
}

function numberOf(filling) {
  if (filling.fits === null) return filling.probability === null ? "–" : percent(filling.probability);
  return `${shown(filling.value)} / ${shown(filling.true_value)}`;
}

function item(filling, index) {
  const [sign, kind, word] = mark(filling);
  return make("li", { role: "option", id: `filling-${index}`, "aria-selected": "false",
    "aria-label": `${filling.expression}, ${numberOf(filling)}, ${word}` },
  make("span", { class: "rank" }, `${index + 1}.`), formula(filling.mathml, { class: "expression" }),
  make("span", { class: "number" }, numberOf(filling)), make("span", { class: `mark ${kind}`, title: word }, sign));
}

function choose(index) {
  const list = find("fillings");
  const inside = Math.max(0, Math.min(index, fillings.length - 1));
  [...list.children].forEach((each, place) => each.setAttribute("aria-selected", String(place === inside)));
  list.setAttribute("aria-activedescendant", `filling-${inside}`);
  list.children[inside].scrollIntoView({ block: "nearest" });
  find("take").hidden = false;
  onChosen(fillings[inside]);
}

const chosen = () => [...find("fillings").children].findIndex((each) => each.getAttribute("aria-selected") === "true");

function onKey(event) {
  const steps = { ArrowDown: chosen() + 1, ArrowRight: chosen() + 1, ArrowUp: chosen() - 1, ArrowLeft: chosen() - 1,
    Home: 0, End: fillings.length - 1 };
  if (event.key === "Enter") return void find("take").click();
  if (!(event.key in steps) || !fillings.length) return;
  event.preventDefault();
  choose(steps[event.key]);
}

/** Shows the completion and chooses its first filling. */
export function showCompletion(answer) {
  fillings = answer.fillings;
  find("completions").hidden = false;
  find("completions-about").textContent = about(answer);
  find("fillings").replaceChildren(...fillings.map(item));
  find("take").hidden = true;
}

export function hideCompletion() {
  fillings = [];
  find("completions").hidden = true;
}

/** `fill(filling)` is called when one is chosen, `take(filling)` when its equation is to be worked on. */
export function prepareCompletions(fill, take) {
  onChosen = fill;
  find("fillings").addEventListener("keydown", onKey);
  find("fillings").addEventListener("click", (event) => {
    const option = event.target.closest("li");
    if (option) choose([...find("fillings").children].indexOf(option));
  });
  find("take").addEventListener("click", () => chosen() >= 0 && take(fillings[chosen()]));
}

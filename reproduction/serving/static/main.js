// The page: every change of the equation is typeset at once, then answered by the network, then by the judges.

import { hideCompletion, prepareCompletions, showCompletion } from "./completions.js";
import { showCurves } from "./curves.js";
import { find, formula, grade, make, percent, shown } from "./elements.js";
import { showGallery } from "./gallery.js";
import { forget, get, post } from "./server.js";
import { prepareTree, showTree } from "./tree.js";

const KEYS = ["sin(", "cos(", "tan(", "exp(", "sqrt(", "(", ")", "^", "*", "+", "-", "/", "pi", "x", "y", "=", "_"];
const JUDGES_WAIT = 350; // milliseconds without a key before the judges are asked
const PROBLEM_WAIT = 500; // and before a half-typed equation is called wrong
const STALE_WAIT = 200; // before an old answer is dimmed
const WORDS = ["It holds this to be wrong.", "It leans towards wrong.", "It cannot tell.", "It leans towards correct.",
  "It holds this to be correct."];
const VERDICTS = { correct: "✓ Correct", incorrect: "✗ Not correct", unsure: "? Unsure", undefined: "Undefined" };
const VERDICT_CLASSES = { correct: "big right", incorrect: "big wrong" };

let networks = [], judgesTimer = 0, problemTimer = 0, staleTimer = 0;

const network = () => find("network").value;

function showFormula(mathml) {
  find("typeset").replaceChildren(...(mathml ? [formula(mathml)] : []));
}

/** The address of this page with the equation in it, for the field and for sharing. */
function shareable(text) {
  return `#${new URLSearchParams({ equation: text, network: network() })}`;
}

/** Answers to an earlier question cannot be reached until there is a new one, and are dimmed if that takes long. */
function setStale(...names) {
  clearTimeout(staleTimer);
  for (const name of ["results", "completions"]) {
    find(name).inert = names.includes(name);
    if (!names.includes(name)) find(name).classList.remove("stale");
  }
  staleTimer = setTimeout(() => names.forEach((name) => find(name).classList.add("stale")), STALE_WAIT);
}

function showProblem(problem) {
  clearTimeout(problemTimer);
  find("problem").hidden = !problem;
  find("problem-sentence").textContent = problem?.error ?? "";
  find("problem-excerpt").textContent = problem?.excerpt ?? "";
  if (problem) find("equation").setAttribute("aria-invalid", "true");
  else find("equation").removeAttribute("aria-invalid");
}

function showNotes(notes) {
  find("notes").replaceChildren(...notes.map((note) => make("li", {}, note)));
}

function giveUpQuestions() {
  clearTimeout(judgesTimer);
  forget("verify", "complete", "evaluate", "judge");
}

function clearAnswers() {
  giveUpQuestions();
  find("answers").hidden = true;
  showNotes([]);
  showTree(null);
  hideCompletion();
}

function clearPage() {
  find("typeset").replaceChildren();
  clearAnswers();
  setStale();
}

function showProbability(text, word, share, level) {
  find("probability").textContent = text;
  find("word").textContent = word;
  find("meter").hidden = share === null;
  find("meter").setAttribute("aria-valuenow", Math.round(100 * (share ?? 0)));
  find("meter-bar").setAttribute("width", 100 * (share ?? 0));
  find("meter-bar").setAttribute("class", `level-${level}`);
}

function showVerdict(answer) {
  const { point, left, right } = answer.evidence;
  find("verdict").textContent = VERDICTS[answer.judge_verdict];
  find("verdict").className = VERDICT_CLASSES[answer.judge_verdict] ?? "big open";
  find("evidence").textContent = left ? "" : `${answer.sentence[0].toUpperCase()}${answer.sentence.slice(1)}.`;
  find("counterexample").hidden = !left;
  if (!left) return;
  const rows = [...Object.entries(point), ["left side", left], ["right side", right]];
  find("counterexample").tBodies[0].replaceChildren(...rows.map(([name, value]) =>
    make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, value.replace(/-/g, "−")))));
}

function waitForJudges(word = "…") {
  find("verdict").textContent = word;
  find("verdict").className = "big open";
  find("evidence").textContent = "";
  find("counterexample").hidden = true;
}

async function askJudges(equation) {
  const slow = setTimeout(() => (find("evidence").textContent = "Sympy is at work …"), 600);
  const answer = await post("judge", { equation });
  clearTimeout(slow);
  if (answer?.error) waitForJudges("–"), (find("evidence").textContent = answer.error);
  else if (answer) showVerdict(answer);
}

/** Everything about an equation without a blank; where one was filled, it is said whose equation it is. */
async function answerEquation(equation, filled = false) {
  giveUpQuestions();
  setStale("results");
  const answer = await post("verify", { equation, network: network() });
  if (!answer) return;
  setStale();
  find("answers").hidden = false;
  find("filled").hidden = !filled;
  find("filled-equation").textContent = equation;
  waitForJudges();
  judgesTimer = setTimeout(askJudges, JUDGES_WAIT, equation);
  if (answer.error) {
    showProbability("–", answer.error, null, 2);
    showNotes([]);
    return void showTree(null);
  }
  const level = grade(answer.probability);
  showProbability(percent(answer.probability), WORDS[level], answer.probability, level);
  showNotes(answer.notes);
  showTree(answer);
}

async function answerBlank(equation) {
  const answer = await post("complete", { equation, network: network() });
  if (!answer) return;
  setStale();
  if (answer.error) {
    clearAnswers();
    return void showProblem(answer);
  }
  clearAnswers();
  showNotes(answer.notes);
  showCompletion(answer);
}

async function answerExpression(expression) {
  const answer = await post("evaluate", { expression, network: network() });
  if (!answer) return;
  setStale();
  showTree(null);
  find("answers").hidden = false;
  find("filled").hidden = true;
  waitForJudges("–");
  find("evidence").textContent = "An expression is neither right nor wrong: add = and another side.";
  if (answer.error) return showProbability("–", answer.error, null, 2);
  showProbability(shown(answer.value, 3), `is what the network decodes; the true value is ${shown(answer.true_value, 3)}.`, null, 2);
  showNotes(answer.notes);
}

const ANSWERS = { equation: answerEquation, blank: answerBlank, expression: answerExpression };

async function onTyped() {
  const text = find("equation").value;
  find("share").href = shareable(text);
  setStale("results", "completions");
  const reading = await post("read", { text });
  if (!reading) return;
  const problem = reading.error ? reading : reading.problem;
  showFormula(reading.mathml);
  showProblem(null);
  giveUpQuestions();
  if (reading.kind === "empty") return clearPage();
  if (reading.kind in ANSWERS) {
    if (reading.kind !== "blank") hideCompletion();
    return ANSWERS[reading.kind](text);
  }
  if (problem) problemTimer = setTimeout(showProblem, PROBLEM_WAIT, problem);
}

function putEquation(text) {
  const field = find("equation");
  field.value = text;
  field.scrollIntoView({ block: "center" });
  field.focus({ preventScroll: true });
  return onTyped();
}

function insert(text) {
  const field = find("equation");
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.focus();
  onTyped();
}

function fillIn(filling) {
  answerEquation(filling.equation, true);
}

/** Takes an equation and a network from the address, as somebody shared it. */
function readAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.has("equation")) find("equation").value = asked.get("equation");
  if (networks.some(({ name }) => name === asked.get("network"))) find("network").value = asked.get("network");
  onNetwork();
}

async function share(event) {
  event.preventDefault();
  history.replaceState(null, "", find("share").getAttribute("href"));
  await navigator.clipboard?.writeText(location.href).catch(() => null);
  find("shared").textContent = "The address of this equation is in the address bar and, where the browser allows it, copied.";
}

function describeNetwork() {
  const { accuracy, textbook_accuracy: textbook } = networks.find(({ name }) => name === network());
  const own = `${(100 * accuracy).toFixed(1)} % right on its own test set`;
  find("about-network").textContent = textbook === null ? own : `${(100 * textbook).toFixed(1)} % right on textbook equations, ${own}`;
}

function onNetwork() {
  describeNetwork();
  onTyped();
  showCurves(network());
}

async function showNetworks() {
  const answer = await get("networks");
  if (answer.error) return showProblem(answer);
  networks = answer.networks;
  find("network").replaceChildren(...networks.map(({ name, title }) => make("option", { value: name }, title)));
  find("network").value = answer.default;
  readAddress();
}

function prepareKeys() {
  find("keys").replaceChildren(...KEYS.map((text) => {
    const button = make("button", { type: "button", "aria-label": text === "_" ? "blank" : null }, text);
    button.addEventListener("click", () => insert(text));
    return button;
  }));
}

prepareKeys();
prepareTree();
prepareCompletions(fillIn, (filling) => putEquation(filling.equation));
find("equation").addEventListener("input", onTyped);
find("equation").addEventListener("keydown", (event) => {
  if (event.key !== "ArrowDown" || find("completions").hidden) return;
  event.preventDefault();
  find("fillings").focus();
});
find("network").addEventListener("change", onNetwork);
find("share").addEventListener("click", share);
addEventListener("hashchange", readAddress);
showNetworks();
showGallery(putEquation);

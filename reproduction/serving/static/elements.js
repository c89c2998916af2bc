// Small makers of elements, and how numbers are shown.

const SVG = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

export function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

export const find = (name) => document.getElementById(name);

/** The formula of an answer: MathML that the server made from a tree, never from text as it was typed. */
export function formula(mathml, attributes = {}) {
  const place = make("span", attributes);
  place.innerHTML = mathml;
  return place;
}

/** A number with few digits, with a true minus sign. */
export function shown(number, digits = 2) {
  if (number === null || number === undefined) return "–";
  const size = Math.abs(number);
  const text = size !== 0 && (size < 0.005 || size >= 1e5) ? number.toExponential(1) : number.toFixed(digits);
  return text.replace(/-/g, "−");
}

/** A probability in per cent; never 0 or 100, which no network knows. */
export function percent(probability) {
  if (probability > 0.999) return "> 99.9 %";
  if (probability < 0.001) return "< 0.1 %";
  const digits = probability > 0.1 && probability < 0.9 ? 0 : 1;
  return `${(100 * probability).toFixed(digits)} %`;
}

/** A probability as one of five grades, from surely not to surely. */
export function grade(probability) {
  return [0.1, 0.4, 0.6, 0.9].filter((bound) => probability >= bound).length;
}

// Examples and axioms: a click puts one into the equation's field.

import { find, formula, make } from "./elements.js";
import { get } from "./server.js";

const FIRST_FAMILY = "multiple angles";

function list(equations, choose) {
  const items = equations.map(({ text, mathml }) => {
    const button = make("button", { type: "button", "data-equation": text, title: text }, formula(mathml));
    button.addEventListener("click", () => choose(text));
    return make("li", {}, button);
  });
  return make("ul", { class: "equations" }, ...items);
}

function showFamilies(families, choose) {
  const field = find("family");
  const show = () => find("axioms").replaceChildren(list(families[field.selectedIndex].equations, choose));
  field.replaceChildren(...families.map(({ name, equations }) => make("option", {}, `${name} (${equations.length})`)));
  field.selectedIndex = Math.max(0, families.findIndex(({ name }) => name === FIRST_FAMILY));
  field.addEventListener("change", show);
  show();
}

export async function showGallery(choose) {
  const gallery = await get("gallery");
  if (!gallery || gallery.error) return;
  find("examples").replaceChildren(...gallery.examples.map(({ name, equations }) =>
    make("div", {}, make("h3", {}, name), list(equations, choose))));
  showFamilies(gallery.families, choose);
}

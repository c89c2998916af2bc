// Learned curves of the unary functions against the true ones, a small picture each.

import { draw, find, make, shown } from "./elements.js";
import { get } from "./server.js";

const WIDTH = 200, HEIGHT = 130, TOP = 4, AT_ONCE = 10; // values beyond ±TOP are cut off

function path(xs, ys, limit) {
  const x = (value) => (WIDTH * (value + limit)) / (2 * limit);
  const y = (value) => HEIGHT / 2 - (HEIGHT / 2) * (Math.max(-1.2 * TOP, Math.min(1.2 * TOP, value)) / TOP);
  let text = "", previous = null;
  ys.forEach((value, place) => {
    if (value !== null) {
      const jumps = previous === null || Math.abs(value - previous) > TOP;
      text += `${jumps ? "M" : "L"}${x(xs[place]).toFixed(1)},${y(value).toFixed(1)}`;
    }
    previous = value;
  });
  return text;
}

function picture({ name, decoded, true: known, error }, xs, limit) {
  const off = error === null ? "" : `off by ${shown(error)}`;
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
    "aria-label": `${name} from −${limit} to ${limit}: the decoded values are off by ${shown(error)} in the middle case` },
  draw("path", { class: "axis", d: `M0,${HEIGHT / 2}H${WIDTH}M${WIDTH / 2},0V${HEIGHT}` }),
  draw("path", { class: "true", d: path(xs, known, limit) }), draw("path", { class: "decoded", d: path(xs, decoded, limit) }));
  return make("figure", {}, svg, make("figcaption", {}, make("span", {}, `${name}(x)`), make("small", {}, off)));
}

function showMore(pictures) {
  const more = find("more-curves");
  more.hidden = !pictures.length;
  more.querySelector("summary").textContent = `${pictures.length} more functions, farther off`;
  more.querySelector(".curves").replaceChildren(...pictures);
}

export async function showCurves(network) {
  find("curves-about").textContent = "…";
  const answer = await get("curves", { network });
  if (!answer) return;
  if (answer.error) {
    find("curves-about").textContent = answer.error;
    find("curves").replaceChildren();
    return showMore([]);
  }
  find("curves-about").replaceChildren(
    `Values from −${answer.limit} to ${answer.limit}, drawn up to ±${TOP}:`, make("span", { class: "key" }), "decoded by the network",
    make("span", { class: "key true" }), "true. Half of the values are off by less than the number under each picture. " +
    "A function whose values were not in the training shows how far the others carry.");
  const pictures = answer.functions.map((each) => picture(each, answer.x, answer.limit));
  find("curves").replaceChildren(...pictures.slice(0, AT_ONCE));
  showMore(pictures.slice(AT_ONCE));
}

// chart.js - loss against time, as a step line with the lower bound below it.
// @ts-check
import { h, s, secondsText } from "./dom.js";

const width = 560, height = 190, left = 52, right = 12, top = 12, bottom = 28;

/**
 * @param {[number, number | null, number | null][]} points seconds, loss, lower bound
 * @param {string} title
 */
export function lossChart(points, title) {
  const known = points.filter((one) => one[1] !== null);
  const chart = s("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
  if (known.length < 2) return chart;
  const last = known[known.length - 1], lows = known.map((one) => one[2]).filter((one) => one !== null);
  const losses = known.map((one) => Number(one[1]));
  const ticks = ticksOf(Math.min(...losses, ...lows.map(Number)), usualMost(losses), 3);
  const least = ticks[0], most = ticks[ticks.length - 1], seconds = Math.max(0.01, last[0]);
  const x = (/** @type {number} */ t) => left + (t / seconds) * (width - left - right);
  const y = (/** @type {number} */ v) => top + ((most - Math.min(v, most)) / (most - least)) * (height - top - bottom);
  for (const value of ticks)
    chart.append(s("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
      s("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, String(Number(value.toPrecision(6)))));
  for (const t of [0, seconds / 2, seconds])
    chart.append(s("text", { x: x(t), y: height - 8, "text-anchor": t ? (t === seconds ? "end" : "middle") : "start" }, secondsText(t)));
  let path = "", bound = "";
  for (const [t, loss, low] of known) {
    const at = y(Number(loss)).toFixed(1);
    path += path ? `H${x(t).toFixed(1)}V${at}` : `M${x(t).toFixed(1)} ${at}`;
    if (low !== null) bound += `${bound ? "L" : "M"}${x(t).toFixed(1)} ${y(low).toFixed(1)}`;
  }
  if (bound) chart.append(s("path", { class: "bound", d: bound }));
  chart.append(s("path", { class: "loss", d: path }));
  return h("figure", {}, chart, h("figcaption", { class: "soft" }, h("span", { class: "key loss" }), " loss against time",
    bound && h("span", {}, h("span", { class: "key bound" }), " no release has less")));
}

/** Round numbers that enclose a range. @param {number} least @param {number} most @param {number} count about so many steps */
function ticksOf(least, most, count) {
  const raw = Math.max(1e-6, most - least) / count, unit = 10 ** Math.floor(Math.log10(raw));
  const step = unit * (raw > 5 * unit ? 10 : raw > 2 * unit ? 5 : raw > unit ? 2 : 1);
  const first = Math.floor(least / step + 1e-9), last = Math.max(first + 1, Math.ceil(most / step - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

/** The first losses of a run are near 1 and would flatten the rest. @param {number[]} losses */
function usualMost(losses) {
  const sorted = [...losses].sort((a, b) => a - b);
  return sorted[Math.floor(0.9 * (sorted.length - 1))];
}

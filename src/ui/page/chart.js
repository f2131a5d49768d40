// chart.js - loss against time, as a step line with the lower bound below it.
// @ts-check
import { lossText, s, secondsText } from "./dom.js";

const width = 560, height = 180, left = 58, right = 12, top = 12, bottom = 28;

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
  const most = quantileTop(losses), least = Math.min(Math.min(...losses), ...lows.map(Number));
  const span = Math.max(1e-9, most - least), seconds = Math.max(0.01, last[0]);
  const x = (/** @type {number} */ t) => left + (t / seconds) * (width - left - right);
  const y = (/** @type {number} */ v) => top + ((most - Math.min(v, most)) / span) * (height - top - bottom);
  for (let i = 0; i <= 3; i++) {
    const value = least + (span * i) / 3;
    chart.append(s("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
      s("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, lossText(value)));
  }
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
  return chart;
}

/** The first losses of a run are near 1 and would flatten the rest. @param {number[]} losses */
function quantileTop(losses) {
  const sorted = [...losses].sort((a, b) => a - b);
  return sorted[Math.floor(0.9 * (sorted.length - 1))] * 1.02 + 1e-9;
}

// dom.js - makes elements, and writes numbers as people read them.
// @ts-check

/** @typedef {string | number | Node | null | undefined | false} Child */

const svgSpace = "http://www.w3.org/2000/svg";

/**
 * @param {Element} element
 * @param {Record<string, any>} properties attributes; functions named on... become listeners
 * @param {Child[]} children
 */
function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children)
    if (child !== null && child !== undefined && child !== false)
      element.append(child instanceof Node ? child : String(child));
}

/**
 * An HTML element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} [properties]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  fill(element, properties, children);
  return element;
}

/**
 * An SVG element.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} [properties]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function s(tag, properties = {}, ...children) {
  const element = document.createElementNS(svgSpace, tag);
  fill(element, properties, children);
  return element;
}

/**
 * The element with this id, which the page has.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** @param {number} number 12345 as 12,345 */
export function count(number) {
  return number.toLocaleString("en");
}

/** @param {number} rows as 12,345 rows */
export function rowsText(rows) {
  return `${count(rows)} row${rows === 1 ? "" : "s"}`;
}

/** @param {number} bytes as 1.2 MB */
export function bytesText(bytes) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let i = 0;
  for (; bytes >= 999.5 && i < units.length - 1; i++) bytes /= 1000;
  return `${i && bytes < 9.95 ? bytes.toFixed(1) : bytes.toFixed(0)} ${units[i]}`;
}

/** @param {number} part @param {number} whole as 1.2 % */
export function percent(part, whole) {
  if (!whole || !part) return "0 %";
  const share = (100 * part) / whole;
  if (part > 0 && share < 0.01) return "<0.01 %";
  return `${share >= 10 ? share.toFixed(0) : share >= 1 ? share.toFixed(1) : share.toFixed(2)} %`;
}

/** @param {number | null | undefined} loss as 0.0384 */
export function lossText(loss) {
  return loss === null || loss === undefined ? "–" : loss.toFixed(4);
}

/** @param {number} seconds as 4.2 s, or 3:05 */
export function secondsText(seconds) {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

/** @type {Record<string, string>} what a task does, by the name of its stage */
const stages = {
  read: "reading the table", bound: "proving how small the loss can be", search: "searching for a release",
  certificate: "checking the proof", compare: "comparing",
};

/** @param {{stopping: boolean, stage: string, seconds: number}} task what it does, and for how long */
export function stageText(task) {
  return `${task.stopping ? "stopping" : stages[task.stage] ?? (task.stage || "starting")}, ${secondsText(task.seconds)}`;
}

/** Says something to people who do not see the page. @param {string} text */
export function say(text) {
  byId("said").textContent = text;
}

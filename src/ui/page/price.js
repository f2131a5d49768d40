// price.js - what the boundaries cost: rows suppressed for the chosen k and p, the same for every
// k and p as a heat map, and whose rows they are.
// @ts-check
import { byId, count, h, percent, say } from "./dom.js";
import { post } from "./server.js";

/** @typedef {import("./server.js").State} State */
/** @typedef {import("./server.js").Price} Price */
/** @typedef {import("./server.js").Lost} Lost */
/** @typedef {import("./server.js").Moved} Moved */

const shades = [0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5];

/** @param {number} part @param {number} whole 0: nothing is lost; 8: half or more */
function shade(part, whole) {
  if (!part) return 0;
  let i = 1;
  while (i < shades.length - 1 && part / whole >= shades[i + 1]) i++;
  return i;
}

/** @param {string} key @param {number} value */
export function setModel(key, value) {
  return post("/api/edit", { edits: [{ path: ["model", key], value }] });
}

export class PriceView {
  /** @param {(action: Promise<any>) => void} act */
  constructor(act) {
    this.act = act;
    this.k = this.numberField("k", "k (rows alike)");
    this.p = this.numberField("p", "p (sensitive values)");
    this.number = h("strong", { id: "suppressed" }, "–");
    this.share = h("span", { class: "soft" });
    this.state = h("p", { class: "soft", id: "counting" });
    this.map = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Heat map of k and p" });
    this.lost = h("div", { id: "lost" });
    this.counted = h("div", { hidden: true }, h("h3", {}, "Rows suppressed for every k and p"), this.map,
      h("p", { class: "soft" }, "Click a field to use its k and p."),
      h("h3", {}, "Whose rows are lost"), this.lost);
    byId("price-body").append(
      h("p", { class: "fields" }, this.k.label, this.p.label),
      h("p", { class: "big" }, this.number, " rows suppressed ", this.share),
      this.state, this.counted);
    /** @type {Price | null} */
    this.price = null;
    /** Why the cost of the line that is being dragged is unknown. @type {string | null} */
    this.why = null;
    this.dragged = false; // what is shown belongs to the line that is being dragged, not to the job
  }

  /** @param {"k" | "p"} key @param {string} text */
  numberField(key, text) {
    const input = h("input", {
      type: "number", min: 1, id: `model-${key}`, inputmode: "numeric",
      onchange: () => {
        const value = Number(input.value);
        if (Number.isInteger(value) && value >= 1) {
          this.act(setModel(key, value));
        } else { // the field shows what the job has
          input.value = this.price ? String(this.price[key]) : "";
          say(`${key} is a whole number from 1 on`);
        }
      },
    });
    return { input, label: h("label", {}, text, input) };
  }

  /** @param {State} state */
  show(state) {
    const counting = state.quick && state.quick.kind === "count", price = state.price;
    const same = price !== null && price.revision === this.price?.revision;
    if (same && this.dragged) {
      this.price = price;
      return;
    }
    this.state.textContent = counting
      ? `Counting the table … ${state.quick?.stage ?? ""}`
      : state.price && !state.price.suppressed && !state.columns.some((one) => one.job?.boundary)
        ? "No boundary is drawn: a value may become as coarse as it has to. Drag a red line down to see what that costs." : "";
    if (price === this.price && price) return;
    this.price = price;
    this.why = null;
    this.dragged = false;
    this.counted.hidden = !price;
    if (!price) {
      this.number.textContent = "–";
      this.share.textContent = "";
      for (const field of /** @type {const} */ (["k", "p"]))
        if (document.activeElement !== this[field].input) this[field].input.value = "";
      this.map.replaceChildren();
      this.lost.replaceChildren();
      return;
    }
    for (const field of /** @type {const} */ (["k", "p"]))
      if (document.activeElement !== this[field].input) this[field].input.value = String(price[field]);
    this.draw(price, price.suppressed, price.grid, price.lost);
    say(`${count(price.suppressed)} of ${count(price.rows)} rows suppressed`);
  }

  /** A position of a boundary that is being dragged. @param {Moved} moved */
  move(moved) {
    if (!this.price) return;
    this.state.textContent = "";
    this.why = null;
    this.dragged = true;
    this.draw(this.price, moved.suppressed, moved.grid, moved.lost);
  }

  /** The cost of the line that is being dragged is not known yet. @param {string | null} why null: the line is back */
  unpriced(why) {
    if (!this.price || why === this.why) return;
    this.why = why;
    this.dragged = why !== null;
    this.state.textContent = why ?? "";
    if (!why) {
      this.draw(this.price, this.price.suppressed, this.price.grid, this.price.lost);
      return;
    }
    this.number.textContent = "…";
    this.share.textContent = "";
  }

  /** The cost in one line; empty while nothing is counted. */
  text() {
    return this.price ? `${this.number.textContent} rows suppressed ${this.share.textContent}` : "";
  }

  /** @param {Price} price @param {number} suppressed @param {number[] | null} grid @param {Lost[]} lost */
  draw(price, suppressed, grid, lost) {
    this.number.textContent = count(suppressed);
    this.share.textContent = `of ${count(price.rows)} (${percent(suppressed, price.rows)})`;
    this.drawMap(price, grid);
    this.drawLost(lost);
  }

  /** @param {Price} price @param {number[] | null} grid null: it is being counted */
  drawMap(price, grid) {
    const cell = (/** @type {number} */ k, /** @type {number} */ p, /** @type {number | undefined} */ rows) => {
      const chosen = k === price.k && p === price.p;
      return h("td", {}, h("button", {
        class: rows === undefined ? "" : `heat-${shade(rows, price.rows)}`, "aria-pressed": String(chosen),
        "aria-label": rows === undefined ? `k = ${k}, p = ${p}: not counted yet` : undefined,
        title: rows === undefined ? undefined : `k = ${k}, p = ${p}: ${count(rows)} rows suppressed`,
        "data-k": k, "data-p": p, "data-rows": rows,
        onclick: () => this.act(post("/api/edit", {
          edits: [{ path: ["model", "k"], value: k }, { path: ["model", "p"], value: p }],
        })),
      }, rows === undefined ? "…" : percent(rows, price.rows)));
    };
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset : {};
    this.map.replaceChildren(h("table", { class: "map" },
      h("caption", { class: "hidden" }, "Share of rows suppressed, by k and p"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "k \\ p"),
        ...price.ps.map((p) => h("th", { scope: "col" }, p)))),
      h("tbody", {}, ...price.ks.map((k, i) => h("tr", {}, h("th", { scope: "row" }, k),
        ...price.ps.map((p, j) => cell(k, p, grid?.[i * price.ps.length + j])))))));
    if (focused.k && focused.p) {
      const again = this.map.querySelector(`[data-k="${focused.k}"][data-p="${focused.p}"]`);
      if (again instanceof HTMLElement) again.focus();
    }
  }

  /** @param {Lost[]} lost */
  drawLost(lost) {
    /** @type {Map<string, Lost[]>} */
    const columns = new Map();
    for (const one of lost) columns.set(one[0], [...(columns.get(one[0]) ?? []), one]);
    const lines = [];
    for (const [name, values] of columns) {
      const gone = values.filter((one) => one[3] > 0).slice(0, 4);
      if (!gone.length) continue;
      lines.push(h("tr", { class: "group" }, h("th", { colspan: 3, scope: "rowgroup" }, name)));
      for (const [, value, rows, away] of gone) {
        const bar = h("span", { class: "bar" });
        bar.style.width = `${Math.max(1, (100 * away) / rows)}%`;
        lines.push(h("tr", {}, h("td", {}, value || "(missing)"),
          h("td", { class: "bars" }, bar),
          h("td", { class: "right-text" }, `${count(away)} of ${count(rows)}`)));
      }
    }
    this.lost.replaceChildren(lines.length
      ? h("table", { class: "lost" }, h("tbody", {}, ...lines))
      : h("p", { class: "soft" }, "Nobody's: every row can be released."));
  }
}

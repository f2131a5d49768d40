// compare.js - algorithms compared for several k and p: the grid of `hedgerow compare`.
// @ts-check
import { byId, count, h, lossText, secondsText, stageText } from "./dom.js";
import { post } from "./server.js";

/** @typedef {import("./server.js").State} State */

/** @typedef {import("./server.js").Compared} Compared */

/** Runs that promise the same side by side, the least loss first. @param {Compared} a @param {Compared} b */
function byPromise(a, b) {
  return a.k - b.k || a.p - b.p || (a.ntil ?? Infinity) - (b.ntil ?? Infinity) || 0;
}

export class CompareView {
  /** @param {(action: Promise<any>) => void} act */
  constructor(act) {
    this.act = act;
    this.names = h("fieldset", { class: "inline" }, h("legend", {}, "Algorithms"));
    /** @type {string | null | undefined} */
    this.opened = undefined;
    this.k = h("input", { id: "compare-k", size: 10 });
    this.p = h("input", { id: "compare-p", size: 6 });
    this.button = h("button", { id: "compare-start", onclick: () => this.start() }, "Compare");
    this.stop = h("button", { hidden: true, onclick: () => this.act(post("/api/stop")) }, "Stop");
    this.progress = h("progress", { max: 1, "aria-label": "Progress of the comparison" });
    this.stage = h("span", { class: "soft" });
    this.under = h("p", { hidden: true }, this.progress, " ", this.stage);
    this.result = h("div", {});
    /** @type {import("./server.js").Comparison | null | undefined} */
    this.shown = undefined;
    byId("compare-body").append(h("details", {}, h("summary", {}, "Run several algorithms, k and p; nothing is written"),
      this.names, h("p", { class: "fields" }, h("label", { class: "inline" }, "k ", this.k),
        h("label", { class: "inline" }, "p ", this.p), this.button, this.stop), this.under, this.result));
  }

  /** @param {[string, string][]} algorithms */
  setAlgorithms(algorithms) {
    const usual = ["hedge", "greedy-pk", "mam"];
    this.names.append(...algorithms.map(([name, title]) => h("label", { class: "inline", title },
      h("input", { type: "checkbox", value: name, checked: usual.includes(name) }), name)));
  }

  start() {
    const algorithms = [...this.names.querySelectorAll("input")].filter((one) => one.checked).map((one) => one.value);
    this.act(post("/api/compare", { algorithms, k: this.k.value, p: this.p.value }));
  }

  /** @param {State} state */
  show(state) {
    if (state.price && (state.job?.address ?? null) !== this.opened) { // begin with what the job asks for
      this.opened = state.job?.address ?? null;
      this.k.value = [...new Set([state.price.k, 2 * state.price.k])].join(",");
      this.p.value = String(state.price.p);
    }
    this.button.disabled = Boolean(state.slow) || !state.job;
    const task = state.slow?.kind === "compare" ? state.slow : null;
    this.stop.hidden = this.under.hidden = !task;
    if (task) {
      this.stop.disabled = task.stopping;
      if (task.total) this.progress.value = task.done / task.total;
      else this.progress.removeAttribute("value");
      this.stage.textContent = stageText(task);
    }
    const found = state.comparison;
    if (found === this.shown) return;
    this.shown = found;
    if (!found) {
      this.result.replaceChildren();
      return;
    }
    const heads = ["algorithm", "k", "p", "loss", "classes", "suppressed", "time", ""];
    this.result.replaceChildren(found.error ? h("p", { class: "problem" }, found.error) : "",
      found.rows ? h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Comparison" },
        h("table", { class: "list" }, h("thead", {}, h("tr", {}, ...heads.map((one, i) => h("th", { scope: "col", class: i > 0 && i < 7 && "right-text" }, one || h("span", { class: "hidden" }, "note"))))),
          h("tbody", {}, ...found.rows.toSorted(byPromise).map((one) => h("tr", { class: one.best ? "best" : "" },
            h("th", { scope: "row" }, one.algorithm), h("td", { class: "right-text" }, one.k), h("td", { class: "right-text" }, one.p),
            h("td", { class: "right-text" }, lossText(one.ntil)),
            h("td", { class: "right-text" }, one.classes === undefined ? "–" : count(one.classes)),
            h("td", { class: "right-text" }, one.suppressed === undefined ? "–" : count(one.suppressed)),
            h("td", { class: "right-text" }, one.seconds === undefined ? "–" : secondsText(one.seconds)),
            h("td", { class: "soft" }, one.note ?? (one.best ? "worth choosing" : ""))))))) : "");
  }
}

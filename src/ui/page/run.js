// run.js - runs the job: progress, loss against time, stop; and the runs that were made, with their
// figures, classes, report and files.
// @ts-check
import { lossChart } from "./chart.js";
import { byId, count, h, lossText, percent, say, secondsText, stageText } from "./dom.js";
import { get, post } from "./server.js";

/** @typedef {import("./server.js").State} State */
/** @typedef {import("./server.js").Run} Run */

export class RunView {
  /** @param {(action: Promise<any>) => void} act */
  constructor(act) {
    this.act = act;
    this.algorithm = h("select", { id: "algorithm", onchange: () => this.chooseAlgorithm() });
    this.effort = h("select", { id: "effort", onchange: () => this.setKey("effort", this.effort.value) },
      ...["quick", "normal", "thorough"].map((name) => h("option", { value: name }, name)));
    this.start = h("button", { id: "start", class: "main", onclick: () => this.act(post("/api/run")) }, "Run the job");
    this.stop = h("button", { id: "stop", hidden: true, onclick: () => this.act(post("/api/stop")) }, "Stop");
    this.progress = h("progress", { max: 1, hidden: true, "aria-label": "Progress of the run" });
    this.stage = h("span", { class: "soft" });
    this.live = h("div", { class: "live" });
    this.runs = h("div", { id: "runs" });
    this.detail = h("div", { id: "detail" });
    byId("run-body").append(
      h("p", { class: "fields" }, h("label", { class: "inline" }, "algorithm ", this.algorithm),
        h("label", { class: "inline" }, "effort ", this.effort), this.start, this.stop),
      h("p", {}, this.progress, " ", this.stage), this.live, this.runs, this.detail);
    /** @type {number | null} */
    this.chosen = null;
    this.key = "";
    /** Number of the newest run; undefined: no state has come yet. @type {number | undefined} */
    this.newest = undefined;
  }

  /** @param {[string, string][]} algorithms */
  setAlgorithms(algorithms) {
    this.algorithm.replaceChildren(...algorithms.map(([name, title]) => h("option", { value: name, title }, name)));
    this.showChoice();
  }

  /** Only `hedge` has efforts, and a job with one is refused by other algorithms. */
  chooseAlgorithm() {
    const value = this.algorithm.value;
    this.act(post("/api/edit", { edits: [{ path: ["algorithm"], value }, ...(value === "hedge" ? [] : [{ path: ["effort"] }])] }));
  }

  /** @param {string} key @param {string} value */
  setKey(key, value) {
    this.act(post("/api/edit", { edits: [{ path: [key], value }] }));
  }

  showChoice() {
    const put = (/** @type {HTMLSelectElement} */ list, /** @type {any} */ value) => {
      const name = String(value);
      if (list.options.length && ![...list.options].some((one) => one.value === name))
        list.append(h("option", { value: name }, name)); // an alias, or what the job has by mistake
      list.value = name;
    };
    put(this.algorithm, this.state?.job?.algorithm ?? "hedge");
    put(this.effort, this.state?.job?.effort ?? "normal");
    this.effort.disabled = this.algorithm.value !== "hedge";
  }

  /** @param {State} state */
  show(state) {
    this.state = state;
    this.showChoice();
    const task = state.slow?.kind === "run" ? state.slow : null;
    this.start.disabled = Boolean(state.slow) || !state.job || Boolean(state.problem);
    this.stop.hidden = this.progress.hidden = !task;
    if (task) {
      this.stop.disabled = task.stopping;
      if (task.total) this.progress.value = task.done / task.total;
      else this.progress.removeAttribute("value");
      const last = task.points[task.points.length - 1];
      this.stage.textContent = stageText(task) +
        (last ? `, loss ${lossText(last[1])}` : "");
      this.live.replaceChildren(task.points.length > 1 ? lossChart(task.points, "Information loss against time") : "",
        ...task.notices.map((one) => h("p", { class: "soft" }, one)));
    } else {
      this.stage.textContent = "";
      this.live.replaceChildren();
    }
    const newest = state.runs[0], before = this.newest;
    this.newest = newest?.id ?? 0;
    if (newest && newest.id !== before) {
      this.chosen = newest.id;
      if (before !== undefined) say(newest.facts.error ?? `The run has finished: ${newest.facts.summary}`);
    }
    this.showRuns(state.runs);
  }

  /** @param {Run[]} runs newest first */
  showRuns(runs) {
    const key = JSON.stringify([runs.map((one) => [one.id, one.whole]), this.chosen]);
    if (key === this.key) return;
    this.key = key;
    if (!runs.length) {
      this.runs.replaceChildren();
      this.detail.replaceChildren();
      return;
    }
    const found = runs.find((one) => one.id === this.chosen) ?? runs[0];
    this.chosen = found.id;
    const heads = ["run", "algorithm", "k", "p", "suppressed", "classes", "loss", "bound", "time"];
    this.runs.replaceChildren(h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Runs" },
      h("table", { class: "list runs" }, h("caption", {}, "Runs", runs.length > 1 && h("span", { class: "soft" }, " – marked: the least loss for its k and p")),
        h("thead", {}, h("tr", {}, ...heads.map((one, i) => h("th", { scope: "col", class: i > 1 && "right-text" }, one)))),
        h("tbody", {}, ...runs.map((one) => this.runLine(one, found.id, runs))))),
      h("p", { class: "soft" }, "Loss: from 0, every value is published as it is, to 1, no value is. Bound: no release that keeps the " +
        "same promise has less loss."));
    this.showDetail(found);
  }

  /** @param {Run} run @param {number} chosen @param {Run[]} runs */
  runLine(run, chosen, runs) {
    const f = run.facts;
    const pick = h("button", {
      class: "link", "aria-pressed": String(run.id === chosen),
      onclick: () => {
        this.chosen = run.id;
        this.showRuns(runs);
      },
    }, `#${run.id}`);
    const head = h("th", { scope: "row" }, pick);
    if (f.error) return h("tr", {}, head, h("td", { colspan: 8 }, f.cancelled ? "stopped" : f.error));
    const losses = runs.filter((one) => one.facts.k === f.k && one.facts.p === f.p)
      .map((one) => one.facts.ntil).filter((one) => one !== null && one !== undefined);
    const best = f.ntil !== null && losses.length > 1 && f.ntil === Math.min(...losses);
    return h("tr", { class: best ? "best" : "" }, head, h("td", {}, f.algorithm), h("td", { class: "right-text" }, f.k), h("td", { class: "right-text" }, f.p),
      h("td", { class: "right-text" }, `${count(f.suppressed)} (${percent(f.suppressed, f.rows)})`),
      h("td", { class: "right-text" }, count(f.classes)), h("td", { class: "right-text" }, lossText(f.ntil)),
      h("td", { class: "right-text" }, lossText(f.ntil_bound)), h("td", { class: "right-text" }, secondsText(f.seconds)));
  }

  /** @param {Run} run */
  showDetail(run) {
    const f = run.facts;
    if (f.error) {
      this.detail.replaceChildren(h("h3", {}, `Run #${run.id}`), h("p", { class: "problem" }, f.error));
      return;
    }
    const link = (/** @type {string} */ what, /** @type {string} */ text) =>
      h("a", { href: `/download/${what}?run=${run.id}`, id: `download-${what}-run`, download: true }, text);
    const classes = h("div", {});
    this.detail.replaceChildren(h("h3", {}, `Run #${run.id}`),
      run.whole ? h("p", { class: "fields" }, link("release", "Download the release"),
        h("a", { href: `/report?run=${run.id}`, target: "_blank", rel: "noopener", id: "read-report" }, "Read the report"),
        link("report-page", "Report as HTML"), link("report", "Report as JSON"), link("job", "Job of this run"))
        : h("p", { class: "soft" }, "Of this run only the figures are kept."),
      h("pre", { class: "summary", tabindex: 0, "aria-label": "Summary of the run" }, f.summary),
      f.points.length > 1 ? lossChart(f.points, `Loss of run ${run.id} against time`) : "", classes);
    if (run.whole) void this.showClasses(run, classes, 0, false);
  }

  /** @param {Run} run @param {HTMLElement} place @param {number} first @param {boolean} largest */
  async showClasses(run, place, first, largest) {
    /** @type {{columns: string[], total: number, first: number, classes: (string | number)[][]}} */
    let found;
    try {
      found = await get(`/api/classes?run=${run.id}&first=${first}&largest=${largest ? 1 : 0}`);
    } catch {
      return;
    }
    const go = (/** @type {number} */ to, /** @type {boolean} */ order) => () => this.showClasses(run, place, to, order);
    const end = first + found.classes.length;
    place.replaceChildren(h("h3", {}, "Classes"),
      h("p", { class: "fields" }, `${count(first + 1)}–${count(end)} of ${count(found.total)}, ${largest ? "largest" : "smallest"} first `,
        h("button", { onclick: go(0, !largest) }, largest ? "Smallest first" : "Largest first"),
        h("button", { disabled: first === 0, onclick: go(Math.max(0, first - 50), largest) }, "Previous"),
        h("button", { disabled: end >= found.total, onclick: go(end, largest) }, "Next")),
      h("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Classes: published values and sizes" },
        h("table", { class: "list" }, h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "right-text" }, "rows"),
          ...found.columns.map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, ...found.classes.map((line) => h("tr", {}, ...line.map((one, i) =>
          h("td", { class: i ? "" : "right-text" }, typeof one === "number" ? count(one) : one || h("span", { class: "soft" }, "(empty)")))))))));
  }
}

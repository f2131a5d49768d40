// job.js - the job as text: what the command runs. Every action of the page edits it, and so may
// the user.
// @ts-check
import { byId, h } from "./dom.js";
import { post } from "./server.js";

/** @typedef {import("./server.js").State} State */

export class JobView {
  /** @param {(action: Promise<any>) => void} act */
  constructor(act) {
    this.act = act;
    this.text = h("textarea", {
      id: "job-text", "aria-label": "The job file", spellcheck: "false", rows: 18, wrap: "off",
      oninput: () => this.mark(),
      onkeydown: (/** @type {KeyboardEvent} */ e) => {
        if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) this.apply();
      },
    });
    this.button = h("button", { id: "apply", hidden: true, onclick: () => this.apply() }, "Apply the text");
    this.back = h("button", { hidden: true, onclick: () => this.reset() }, "Discard");
    this.command = h("code", {});
    byId("job-body").append(this.text,
      h("p", { class: "fields" }, this.button, this.back,
        h("a", { href: "/download/job", download: "job.yaml", id: "download-job" }, "Download the job")),
      h("p", { class: "soft" }, "The same on the command line: ", this.command));
    this.known = "";
  }

  /** @param {State} state */
  show(state) {
    const job = state.job;
    if (!job) return;
    const name = job.path ?? "JOB.yaml";
    this.command.textContent = `hedgerow anonymize ${name}`;
    if (job.text === this.known) return;
    const touched = this.text.value !== this.known;
    this.known = job.text;
    if (!touched || document.activeElement !== this.text) this.text.value = job.text;
    this.mark();
  }

  mark() {
    this.button.hidden = this.back.hidden = this.text.value === this.known;
  }

  reset() {
    this.text.value = this.known;
    this.mark();
  }

  apply() {
    this.act(post("/api/job", { text: this.text.value }));
  }
}

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
    this.note = h("p", { hidden: true, role: "status" });
    this.command = h("code", {});
    /** @type {string | null | undefined} of the job whose text is shown */
    this.address = undefined;
    byId("job-body").append(this.text, this.note,
      h("p", { class: "fields" }, this.button, this.back,
        h("a", { href: "/download/job", download: "job.yaml", id: "download-job" }, "Download the job")),
      h("p", { class: "soft" }, "The same on the command line: ", this.command));
    this.known = "";
    this.saved = true; // the job was, when it was last shown
    /** @type {number | undefined} that has the job */
    this.server = undefined;
    this.crlf = false; // line breaks of Windows, which the text area does not keep
  }

  /** @param {State} state */
  show(state) {
    const job = state.job;
    if (!job) return;
    const name = job.path ?? "JOB.yaml";
    this.command.textContent = `hedgerow anonymize ${name}`;
    const text = job.text.replaceAll("\r\n", "\n");
    this.crlf = text !== job.text;
    // a server that was started again does not have what was not saved
    const lost = this.server !== undefined && state.server !== this.server && !this.saved;
    this.server = state.server;
    this.saved = job.saved;
    if (text === this.known) return;
    const edited = (lost || this.text.value !== this.known) && job.address === this.address;
    this.note.textContent = lost ? "The server was started again without your changes. Above is your text: apply it, or discard it."
      : "The job has changed since you began to edit its text. Apply your text in its place, or discard your text.";
    this.address = job.address;
    this.known = text;
    if (!edited) this.text.value = text;
    this.mark();
    this.note.hidden = this.button.hidden;
  }

  mark() {
    this.button.hidden = this.back.hidden = this.text.value === this.known;
    if (this.button.hidden) this.note.hidden = true;
  }

  reset() {
    this.text.value = this.known;
    this.mark();
  }

  apply() {
    this.act(post("/api/job", { text: this.crlf ? this.text.value.replaceAll("\n", "\r\n") : this.text.value }));
  }
}

// open.js - opens a file below the start folder, the address of a table, or a file that is dropped
// or chosen, which is sent in slices.
// @ts-check
import { byId, bytesText, h, say } from "./dom.js";
import { post, postBytes } from "./server.js";

/** @typedef {import("./server.js").State} State */

const sliceBytes = 1 << 20;

/** @param {string} name */
function isDatabase(name) {
  return /\.(db|sqlite3?)$/i.test(name);
}

export class OpenView {
  /** @param {(action: Promise<any>) => void} act */
  constructor(act) {
    this.act = act;
    /** @type {string | null | undefined} */
    this.opened = undefined;
    this.listed = false;
    this.address = h("input", {
      id: "address", placeholder: "sqlite:study.db?table=visits", autocomplete: "off", spellcheck: "false",
    });
    this.files = h("div", { id: "files" });
    this.sending = h("p", { class: "soft", id: "sending" });
    this.chosen = h("input", {
      type: "file", id: "file", onchange: () => this.chosen.files?.[0] && this.send(this.chosen.files[0]),
    });
    this.welcome = h("p", { class: "welcome" }, "Open a table with one row per person. Hedgerow guesses what each column is. " +
      "You draw how far its values may be generalized, see how many rows that would suppress, and make the release. Nothing " +
      "leaves this computer.");
    this.summary = h("summary", {}, "A table or a job");
    this.details = h("details", { open: true },
      this.summary,
      h("div", { class: "open-ways" },
        h("div", { class: "drop", id: "drop" },
          h("h3", {}, "Drop a file here"),
          h("label", {}, "or choose one", this.chosen),
          h("p", { class: "soft" }, "It stays on this computer, in a private folder that is removed " +
            "when the server stops. A job finds the files that were dropped before it."), this.sending),
        h("div", {}, h("h3", {}, "In the folder of the command"), this.files),
        h("form", {
          onsubmit: (/** @type {Event} */ e) => {
            e.preventDefault();
            if (this.address.value) this.act(post("/api/open", { address: this.address.value }));
          },
        }, h("h3", {}, "By its address"),
          h("label", {}, "Path, or address of a table in a database", this.address),
          h("p", {}, h("button", { type: "submit", id: "open-address" }, "Open")))));
    byId("open-body").append(this.welcome, this.details);
    this.listenForDrops();
  }

  listenForDrops() {
    const box = byId("drop");
    addEventListener("dragover", (e) => {
      e.preventDefault();
      box.classList.add("ready");
    });
    addEventListener("dragleave", () => box.classList.remove("ready"));
    addEventListener("drop", (e) => {
      e.preventDefault();
      box.classList.remove("ready");
      const file = e.dataTransfer?.files[0];
      if (file) void this.send(file);
    });
  }

  /** @param {File} file */
  async send(file) {
    const progress = h("progress", { max: file.size || 1, value: 0, "aria-label": "Sending the file" });
    this.sending.replaceChildren(`${file.name} `, progress);
    this.details.open = true;
    this.chosen.disabled = true;
    try {
      const stored = await post("/api/drop", { name: file.name, size: file.size });
      for (let at = 0; at < file.size; at += sliceBytes) {
        await postBytes(`/api/slice?offset=${at}`, file.slice(at, at + sliceBytes));
        progress.value = at;
      }
      this.sending.replaceChildren();
      if (isDatabase(file.name)) this.askTable(stored.name);
      else this.act(post("/api/dropped"));
    } catch (error) {
      this.sending.textContent = error instanceof Error ? error.message : String(error);
      say(this.sending.textContent);
    }
    this.chosen.disabled = false;
    this.chosen.value = ""; // the same file can be chosen again
  }

  /** @param {State} state */
  show(state) {
    const name = state.job?.address ?? null;
    if (name !== this.opened) {
      this.opened = name;
      this.details.open = !name;
    }
    this.welcome.hidden = Boolean(name);
    this.summary.textContent = name ? "Another table or job" : "A table or a job";
    if (!this.listed) {
      this.listed = true;
      void this.list("");
    }
  }

  /** Which table of the database? @param {string} name */
  askTable(name) {
    this.address.value = `sqlite:${name}?table=`;
    this.address.focus();
    say("Type the name of a table of the database.");
  }

  /** @param {string} name @param {boolean} folder */
  choose(name, folder) {
    if (folder) {
      void this.list(name);
    } else if (isDatabase(name)) {
      this.askTable(name);
    } else {
      this.act(post("/api/open", { address: name }));
    }
  }

  /** @param {string} folder */
  async list(folder) {
    /** @type {{folder: string, entries: {name: string, folder: boolean, size: number}[]}} */
    let found;
    try {
      found = await post("/api/files", { folder });
    } catch (error) {
      this.files.textContent = error instanceof Error ? error.message : String(error);
      return;
    }
    const join = (/** @type {string} */ name) => (found.folder ? `${found.folder}/${name}` : name);
    const items = found.entries.map((one) => h("li", {}, h("button", {
      class: "link", onclick: () => this.choose(join(one.name), one.folder),
    }, one.folder ? `${one.name}/` : one.name), one.folder ? "" : h("span", { class: "soft" }, ` ${bytesText(one.size)}`)));
    if (found.folder)
      items.unshift(h("li", {}, h("button", {
        class: "link", onclick: () => this.list(found.folder.split("/").slice(0, -1).join("/")),
      }, "../")));
    this.files.replaceChildren(items.length ? h("ul", { class: "files", tabindex: 0, "aria-label": `Files${found.folder ? ` of ${found.folder}` : ""}` }, ...items)
      : h("p", { class: "soft" }, "The folder has no files."));
  }
}

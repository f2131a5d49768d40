// columns.js - the columns of the table: what each of them is, which a click corrects, and how its
// values are generalized.
// @ts-check
import { byId, count, h, percent } from "./dom.js";
import { post } from "./server.js";

/** @typedef {import("./server.js").State} State */
/** @typedef {import("./server.js").Column} Column */

/** Name in a job, name of one column, names of several. */
const roles = [
  ["identifier", "identifier", "identifiers"], ["quasi", "quasi-identifier", "quasi-identifiers"],
  ["sensitive", "sensitive", "sensitive"], ["keep", "kept", "kept"], ["drop", "dropped", "dropped"],
];
/** @type {Record<string, string[]>} */
const builders = {
  date: ["{date: [month, quarter, year]}", "{date: [month, year, 5 years, decade]}"],
  integer: ["{intervals: [5, 10, 20]}", "{quantiles: [16, 8, 4, 2]}", "{prefix: [3, 2, 1]}", "flat"],
  number: ["{intervals: [5, 10, 20]}", "{quantiles: [16, 8, 4, 2]}", "flat"],
  text: ["flat", "{prefix: [3, 2, 1]}", "{frequency: [3, 2]}"],
};

/** @param {any} value a value of a job as it is written @returns {string} */
function written(value) {
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  if (value && typeof value === "object")
    return `{${Object.entries(value).map(([key, one]) => `${key}: ${written(one)}`).join(", ")}}`;
  return String(value);
}

/** What is done to the values of a column without generalizing them by row: 8 bins; round 500, top 4000. @param {Column} column */
function treatment(column) {
  const job = column.job ?? {};
  if (job.role === "sensitive") return job.bins ? `${written(job.bins)} bins` : "";
  if (job.role !== "keep") return "";
  const recoded = ["level", "round", "bottom", "top"].filter((key) => job[key] !== undefined);
  return recoded.map((key) => `${key} ${written(job[key])}`).join(", ") || "as it is";
}

/** @param {Column[]} columns as 2 identifiers, 6 quasi-identifiers, 1 dropped */
function countRoles(columns) {
  const parts = [];
  for (const [role, one, several] of roles) {
    const found = columns.filter((column) => (column.job?.role ?? "drop") === role).length;
    if (found) parts.push(`${count(found)} ${found > 1 ? several : one}`);
  }
  return `${count(columns.length)} column${columns.length === 1 ? "" : "s"}: ${parts.join(", ")}`;
}

export class ColumnsView {
  /** @param {(action: Promise<any>) => void} act */
  constructor(act) {
    this.act = act;
    this.key = "";
    /** @type {string | null | undefined} */
    this.opened = undefined;
    this.count = h("summary", {});
    this.list = h("div", {});
    this.details = h("details", {}, this.count, this.list);
    byId("columns-body").append(this.details);
  }

  /** @param {State} state */
  show(state) {
    const key = JSON.stringify([state.columns, state.price?.rows]);
    const body = this.list;
    if ((state.job?.address ?? null) !== this.opened) { // the roles of a new job are to be looked at
      this.opened = state.job?.address ?? null;
      this.details.open = !state.job?.path;
    }
    if (key === this.key || (body.contains(document.activeElement) && document.activeElement?.tagName === "INPUT")) return;
    this.key = key;
    this.count.textContent = countRoles(state.columns);
    const scrolled = body.querySelector(".columns-box")?.scrollTop ?? 0;
    const focused = document.activeElement?.id;
    const rows = state.price?.rows ?? 0;
    body.replaceChildren(h("p", { class: "soft" }, "Identifiers are removed. Quasi-identifiers, which others may know about a " +
      "person, are generalized. Sensitive values are released as they are, at least p different ones in every class."),
    h("div", { class: "scroll columns-box", tabindex: 0, role: "region", "aria-label": "Columns of the table" },
      h("table", { class: "list columns" },
        h("thead", {}, h("tr", {}, ...["column", "role", "generalized by", "values", "missing"].map(
          (name, i) => h("th", { scope: "col", class: i > 2 && "right-text figure" }, name)))),
        h("tbody", {}, ...state.columns.map((column, i) => this.line(column, i, rows))))));
    body.querySelector(".columns-box")?.scrollTo(0, scrolled);
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  /** @param {Column} column @param {number} i @param {number} rows */
  line(column, i, rows) {
    const role = column.job?.role ?? "drop";
    const select = h("select", {
      id: `role-${i}`, "aria-label": `role of ${column.name}`,
      onchange: () => this.act(post("/api/role", { column: column.name, role: select.value })),
    }, ...roles.map(([value, text]) => h("option", { value, selected: value === role }, text)));
    return h("tr", { class: `role-${role}` }, h("th", { scope: "row" }, column.name,
        column.reason && h("span", { class: "reason" }, column.reason)), h("td", {}, select),
      h("td", {}, role === "quasi" ? this.builder(column, i) : treatment(column)),
      h("td", { class: "right-text figure" }, column.values === undefined ? "" : count(column.values)),
      h("td", { class: "right-text figure" }, column.missing && rows ? percent(column.missing, rows) : ""));
  }

  /** @param {Column} column @param {number} i */
  builder(column, i) {
    if (column.job?.type === "numeric") return "a number: intervals";
    const input = h("input", {
      id: `builder-${i}`, value: written(column.job?.hierarchy ?? "flat"), list: `builders-${i}`,
      "aria-label": `hierarchy of ${column.name}`, spellcheck: "false", class: "wide",
      onchange: () => {
        const now = input.value;
        input.blur();
        this.act(post("/api/edit", {
          edits: [{ path: ["attributes", column.name, "boundary"] }, { path: ["attributes", column.name, "finest"] },
            { path: ["attributes", column.name, "hierarchy"], yaml: now }],
        }));
      },
    });
    return h("span", {}, input, h("datalist", { id: `builders-${i}` },
      ...(builders[column.type ?? "text"] ?? builders.text).map((one) => h("option", { value: one }))));
  }
}

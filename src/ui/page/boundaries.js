// boundaries.js - the hierarchies with their boundaries: dragged in an icicle, chosen by level, or
// suggested.
// @ts-check
import { byId, count, h, percent, say } from "./dom.js";
import { Icicle } from "./icicle.js";
import { get, post, Refused } from "./server.js";
import { isDrawn, jobValue, levelOf, makeTree, sameCut } from "./tree.js";

/** @typedef {import("./server.js").State} State */
/** @typedef {import("./server.js").Moved} Moved */
/** @typedef {import("./tree.js").Tree} Tree */
/** @typedef {import("./icicle.js").Line} Line */

const retryMilliseconds = 12;

export class BoundariesView {
  /**
   * @param {(action: Promise<any>) => void} act
   * @param {(moved: Moved) => void} moved
   * @param {(why: string | null) => void} unpriced the cost of a position is not known while dragging; null:
   *   the line is where the job has it
   */
  constructor(act, moved, unpriced) {
    this.act = act;
    this.moved = moved;
    this.unpriced = unpriced;
    this.revision = ""; // of the hierarchies that are shown
    /** @type {Line} */
    this.line = "boundary";
    this.loading = false;
    /** @type {Map<string, {icicle: Icicle, level: HTMLSelectElement, finest: HTMLSelectElement}>} */
    this.trees = new Map();
    /** @type {{column: string, nodes: number[], at: number} | null} the move to be priced next */
    this.next = null;
    this.pricing = false;
    /** @type {(() => void)[]} show what the job says of numbers */
    this.numbers = [];
    /** @type {import("./server.js").Suggestion | "looking" | null | undefined} */
    this.shown = undefined;
    this.share = h("input", { type: "number", min: 0, max: 100, step: "any", value: 1, id: "share" });
    this.suggestion = h("div", { id: "suggestion" });
    this.list = h("div", { id: "icicles" });
    byId("boundaries-body").append(
      h("p", {}, "A value may be published as any node below the red line, never as one above it. Drag the line down to keep " +
        "values precise, and see how many rows that costs. Each node is as wide as its rows. To move a whole line, choose its level in the list."),
      h("p", { class: "soft" }, "With the keyboard, up and down move the piece of the line that has the handle, left and right go " +
        "to the next piece."),
      h("div", { class: "fields" }, this.lineChoice()),
      h("p", { class: "keys soft" }, ...[["open", "may be published"], ["past", "never published"],
        ["fine", "too precise to be published"]].map(([kind, text]) =>
        h("span", {}, h("span", { class: `swatch ${kind}` }), text))),
      h("p", { class: "fields" },
        h("button", { id: "suggest", onclick: () => this.suggest() }, "Suggest boundaries"),
        h("label", { class: "inline" }, "with at most ", this.share, " % of the rows suppressed")),
      this.suggestion, this.list);
  }

  lineChoice() {
    const radio = (/** @type {Line} */ line, /** @type {string} */ text) =>
      h("label", { class: `inline ${line}` }, h("input", {
        type: "radio", name: "line", value: line, checked: line === "boundary",
        onchange: () => this.chooseLine(line),
      }), text);
    return h("fieldset", { class: "inline" }, h("legend", { class: "hidden" }, "The line that is dragged"),
      h("span", { "aria-hidden": "true" }, "Drag the line of the"), radio("boundary", "boundary: no value is coarser"),
      radio("finest", "finest: no value is more precise"));
  }

  /** @param {Line} line */
  chooseLine(line) {
    this.line = line;
    for (const { icicle } of this.trees.values()) {
      icicle.line = line;
      icicle.draw();
    }
  }

  suggest() {
    if (this.share.value && this.share.checkValidity())
      this.act(post("/api/suggest", { share: Number(this.share.value) / 100 }));
    else
      this.suggestion.replaceChildren(h("p", { class: "problem", role: "alert" }, "Give a share of the rows from 0 to 100 %."));
  }

  // ---- state ----

  /** @param {State} state */
  async show(state) {
    this.state = state;
    if (this.revisionOf(state.trees) !== this.revision && !this.loading) {
      if (state.price) await this.load();
      else this.clear();
      state = this.state; // a newer one may have come
    }
    const price = state.price;
    this.showSuggestion(state);
    this.numbers.forEach((update) => update());
    if (!price) return;
    for (const [name, { icicle, level, finest }] of this.trees) {
      const boundary = price.boundaries[name], low = price.finest[name];
      if (!boundary || !low) continue;
      icicle.set(boundary, low);
      this.showLevel(icicle.tree, level, new Set(boundary), "boundary");
      this.showLevel(icicle.tree, finest, new Set(low), "finest");
    }
  }

  /** @param {string} label */
  focusOn(label) {
    for (const one of this.list.querySelectorAll("[aria-label]"))
      if (one.getAttribute("aria-label") === label && (one instanceof HTMLElement || one instanceof SVGElement))
        one.focus({ preventScroll: true });
  }

  /** Every server counts from 0. @param {number} trees */
  revisionOf(trees) {
    return `${this.state?.server} ${trees}`;
  }

  /** Forgets the hierarchies of another table. */
  clear() {
    this.revision = "";
    this.trees.clear();
    this.numbers = [];
    this.list.replaceChildren();
  }

  async load() {
    this.loading = true;
    byId("boundaries").setAttribute("aria-busy", "true");
    try {
      const data = await get("/api/trees");
      const old = new Map(this.trees);
      const focus = this.list.contains(document.activeElement) ? document.activeElement?.getAttribute("aria-label") : null;
      this.clear();
      this.revision = this.revisionOf(data.revision);
      this.list.replaceChildren(...(data.trees ?? []).map(
        (/** @type {import("./tree.js").TreeData} */ one) => this.makeOne(one)));
      for (const [name, { icicle }] of this.trees) icicle.takeOver(this.line, old.get(name)?.icicle.current);
      if (focus) this.focusOn(focus);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    } finally {
      this.loading = false;
      byId("boundaries").setAttribute("aria-busy", "false");
    }
  }

  /** @param {import("./tree.js").TreeData} data */
  makeOne(data) {
    const tree = makeTree(data);
    const title = h("h3", {}, data.name);
    if (!tree) return h("article", { class: "tree" }, title, this.numberControl(data.name));
    const icicle = new Icicle(tree, (line, cut, final, at) => this.onMove(tree, line, cut, final, at));
    const level = this.levelSelect(tree, "boundary"), finest = this.levelSelect(tree, "finest");
    this.trees.set(tree.name, { icicle, level, finest });
    return h("article", { class: "tree", "data-column": tree.name },
      h("div", { class: "tree-head" }, title,
        h("label", { class: "inline" }, "boundary ", level),
        h("label", { class: "inline" }, "finest ", finest)),
      icicle.element,
      tree.partial && h("p", { class: "soft" }, `This hierarchy has ${count(tree.total)} nodes. The lowest are ` +
        "not drawn: choose their level in the list."));
  }

  // ---- moving ----

  /** @param {Tree} tree @param {Line} line @param {Set<number>} cut @param {boolean} final @param {number} at */
  onMove(tree, line, cut, final, at) {
    if (line === "boundary") {
      this.next = { column: tree.name, nodes: [...cut], at };
      void this.pricePending();
    }
    if (!final) return;
    const value = jobValue(tree, cut, line);
    this.act(post("/api/edit", { edits: [{ path: ["attributes", tree.name, line], value }] }));
    say(`${line} of ${tree.name} moved`);
  }

  /** Prices one position at a time, always the newest. */
  async pricePending() {
    if (this.pricing) return;
    this.pricing = true;
    let asked = this.next;
    try {
      while (this.next) {
        asked = this.next;
        const moved = await post("/api/drag", { column: asked.column, nodes: asked.nodes });
        if (moved.pending) {
          await new Promise((resolve) => setTimeout(resolve, retryMilliseconds));
          continue;
        }
        if (this.next === asked) this.next = null;
        this.moved(moved);
        performance.measure("drag", { start: asked.at });
      }
    } catch (error) {
      const last = this.next ?? asked;
      this.next = null; // the price comes with the next state
      if (!(error instanceof Refused)) console.warn("the price did not come");
      else if (last) this.unpriced(sameCut(new Set(last.nodes), new Set(this.state?.price?.boundaries[last.column])) ? null : error.message);
    }
    this.pricing = false;
  }

  // ---- levels ----

  /** @param {Tree} tree @param {Line} line */
  levelSelect(tree, line) {
    const last = tree.levels.length - 1;
    const select = h("select", {
      "aria-label": `${line} of ${tree.name}`, "data-line": line,
      onchange: () => {
        const level = Number(select.value);
        if (select.value === "nodes") return;
        const value = (line === "boundary" ? level === last : level === 0) ? undefined
          : { level: tree.levels[level] ?? level };
        this.act(post("/api/edit", { edits: [{ path: ["attributes", tree.name, line], value }] }));
      },
    });
    tree.levels.forEach((name, level) => {
      const plain = level === 0 ? "the values" : level === last ? "none (up to the root)" : `level ${level}`;
      select.append(h("option", { value: level },
        line === "boundary" || level ? (name && level && level !== last ? name : plain) : "none (the values)"));
    });
    select.append(h("option", { value: "nodes" }, "drawn through nodes"));
    return select;
  }

  /** @param {Tree} tree @param {HTMLSelectElement} select @param {Set<number>} cut @param {Line} line */
  showLevel(tree, select, cut, line) {
    const level = isDrawn(tree, cut) ? levelOf(tree, cut) : this.levelOfJob(tree, line);
    select.value = level === null ? "nodes" : String(level);
  }

  /** The level that the job names, for a line through nodes that are not drawn. @param {Tree} tree @param {Line} line */
  levelOfJob(tree, line) {
    const value = this.state?.columns.find((one) => one.name === tree.name)?.job?.[line];
    if (value === undefined) return line === "finest" ? 0 : tree.levels.length - 1;
    const level = typeof value === "object" ? value.level : undefined;
    const named = tree.levels.indexOf(level);
    return named >= 0 ? named : /^\d+$/.test(level ?? "") ? Number(level) : null;
  }

  // ---- numbers ----

  /** @param {string} name a number without a hierarchy */
  numberControl(name) {
    const own = () => this.state?.columns.find((one) => one.name === name)?.job?.boundary ?? {};
    const kind = h("select", { "aria-label": `boundary of ${name}` },
      h("option", { value: "" }, "none"), h("option", { value: "width" }, "intervals no wider than"),
      h("option", { value: "cells" }, "at most so many cells"), h("option", { value: "cuts", disabled: true }, "cuts at"));
    const number = h("input", { type: "number", min: 0, step: "any", "aria-label": `size for ${name}` });
    const cuts = h("span", { class: "soft" });
    const update = () => {
      if (document.activeElement === kind || document.activeElement === number) return;
      const now = own();
      kind.value = ["width", "cells", "cuts"].find((one) => now[one] !== undefined) ?? "";
      number.value = String(now.width ?? now.cells ?? "");
      number.hidden = kind.value === "" || kind.value === "cuts";
      cuts.textContent = now.cuts ? [now.cuts].flat().join(", ") : "";
    };
    update();
    this.numbers.push(update);
    const change = () => {
      number.hidden = kind.value === "";
      const value = kind.value && Number(number.value) > 0 ? { [kind.value]: Number(number.value) } : undefined;
      if (kind.value && !value) return;
      this.act(post("/api/edit", { edits: [{ path: ["attributes", name, "boundary"], value }] }));
    };
    kind.addEventListener("change", change);
    number.addEventListener("change", change);
    return h("p", { class: "fields" }, "A number, published as intervals. Boundary: ", kind, number, cuts);
  }

  // ---- suggestions ----

  /** @param {State} state */
  showSuggestion(state) {
    const found = state.suggestion, looking = state.suggesting || state.quick?.kind === "suggest";
    const shown = looking ? "looking" : found;
    if (shown === this.shown) return;
    this.shown = shown;
    if (looking) {
      this.suggestion.replaceChildren(h("p", { class: "soft" }, "Looking for boundaries …"));
      return;
    }
    if (!found) {
      this.suggestion.replaceChildren();
      return;
    }
    if (found.error || !found.combinations?.length) {
      this.suggestion.replaceChildren(h("p", {}, found.error ?? this.noSuggestion()));
      return;
    }
    const names = Object.keys(found.combinations[0].levels);
    this.suggestion.replaceChildren(h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Suggested boundaries" }, h("table", { class: "list" },
      h("caption", {}, `Lowest boundaries with at most ${count(found.budget)} rows suppressed`),
      h("thead", {}, h("tr", {}, h("td"), h("th", { scope: "col", class: "right-text" }, "suppressed"),
        h("th", { scope: "col", class: "right-text" }, "loss at most"), ...names.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...found.combinations.map((one, i) => h("tr", {},
        h("td", {}, h("button", { "aria-label": `Use suggestion ${i + 1}`, onclick: () => this.take(one.levels) }, "Use")),
        h("td", { class: "right-text" }, `${count(one.suppressed)} (${percent(one.suppressed, found.rows)})`),
        h("td", { class: "right-text" }, one.loss.toFixed(3)),
        ...names.map((name) => h("td", {}, this.levelText(name, one.levels[name])))))))));
  }

  /** @param {string} name @param {string | number | null} level as a suggestion has it */
  levelText(name, level) {
    if (level === null) return "none";
    if (level === 0 || level === this.trees.get(name)?.icicle.tree.levels[0]) return "values";
    return typeof level === "number" ? `level ${level}` : level;
  }

  /** Why nothing was found: boundaries drawn through nodes stay as they are. */
  noSuggestion() {
    const drawn = [...this.trees].filter(([, one]) => one.level.value === "nodes").map(([name]) => name);
    return "No boundaries along levels keep to this share of rows." + (drawn.length
      ? ` The boundary of ${drawn.join(", ")} was left as you drew it; choose a level in its list to let it move, too.` : "");
  }

  /** @param {Record<string, string | number | null>} levels */
  take(levels) {
    const edits = Object.entries(levels).map(([name, level]) => ({
      path: ["attributes", name, "boundary"], value: level === null ? undefined : { level },
    }));
    this.act(post("/api/edit", { edits }));
  }
}

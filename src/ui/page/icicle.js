// icicle.js - draws a hierarchy as an icicle: the root on top, every node as wide as its rows, and
// the boundary as a line that can be dragged with the pointer or moved with the arrow keys.
// @ts-check
import { h, percent, rowsText, s } from "./dom.js";
import { boundaryOf, covers, dragTo, isBelow, isDrawn, publishable, underBoundary } from "./tree.js";

const rowHeight = 30, narrowest = 0.8, padding = 4;
const pen = document.createElement("canvas").getContext("2d");
if (pen) pen.font = '12px system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif'; // as page.css has it

/** @param {string} text in pixels */
function widthOf(text) {
  return pen ? pen.measureText(text).width : 7 * text.length;
}

/**
 * As much of a label as has room; empty if too little to be of use.
 * @param {string} label @param {number} room
 */
function shortened(label, room) {
  if (room < widthOf("i")) return "";
  if (widthOf(label) <= room) return label;
  let low = 0, high = label.length - 1; // letters that fit, with the dots
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (widthOf(`${label.slice(0, middle)}…`) <= room) low = middle;
    else high = middle - 1;
  }
  const start = label.slice(0, low).replace(/[^\p{L}\p{N}]+$/u, "");
  return start.length < Math.min(8, Math.max(3, 0.4 * label.length)) ? "" : `${start}…`;
}

/** @typedef {import("./tree.js").Tree} Tree */
/** @typedef {import("./tree.js").Node} Node */
/** @typedef {"boundary" | "finest"} Line */

export class Icicle {
  /**
   * @param {Tree} tree
   * @param {(line: Line, cut: Set<number>, final: boolean, at: number) => void} move called while a line
   *   is dragged, and with `final` when it is put down; at: when the event that caused it happened
   */
  constructor(tree, move) {
    this.tree = tree;
    this.move = move;
    this.eventTime = 0;
    /** @type {Line} */
    this.line = "boundary";
    /** @type {Set<number>} */
    this.boundary = new Set([tree.root.id]);
    /** @type {Set<number>} */
    this.finest = new Set();
    /** @type {{from: Set<number>, anchor: Node, pointer: number} | null} */
    this.held = null;
    /** @type {Node} the node over whose boundary the keyboard is */
    this.current = tree.root;
    this.width = 0;
    this.tip = h("output", { class: "tip", hidden: true });
    this.svg = s("svg", { class: "icicle", height: (tree.depth + 1) * rowHeight + 4 });
    this.cells = s("g");
    /** @type {Node[][]} by depth, from left to right: nodes that are too narrow to be drawn one by one */
    this.narrow = [];
    this.bands = s("g");
    this.over = s("g");
    this.handle = s("rect", {
      class: "handle", tabindex: 0, role: "slider", "aria-orientation": "vertical",
      height: 10, rx: 4, onkeydown: (/** @type {KeyboardEvent} */ e) => this.key(e),
    });
    this.grip = s("path", { class: "grip" }); // where a finger finds the line
    this.svg.append(this.bands, this.cells, this.over, this.grip, this.handle);
    this.element = h("div", { class: "icicle-box" }, this.svg, this.tip);
    this.svg.addEventListener("touchstart", (e) => { // the line is dragged, everything else scrolls
      if (e.target === this.grip || e.target === this.handle) e.preventDefault();
    }, { passive: false });
    this.svg.addEventListener("pointerdown", (e) => this.grab(e));
    this.svg.addEventListener("pointermove", (e) => this.hover(e));
    this.svg.addEventListener("pointerup", (e) => this.putDown(e));
    this.svg.addEventListener("pointercancel", () => this.letGo());
    addEventListener("keydown", (e) => e.key === "Escape" && this.takeBack());
    this.svg.addEventListener("pointerleave", () => (this.tip.hidden = true));
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  /** Goes on where another drawing of the tree was. @param {Line} line @param {Node | undefined} current */
  takeOver(line, current) {
    this.line = line;
    this.nameHandle();
    this.current = (current && this.tree.byId.get(current.id)) ?? this.tree.root;
    this.draw();
  }

  /** @param {number[]} boundary @param {number[]} finest as the server says */
  set(boundary, finest) {
    if (this.held) return;
    this.boundary = new Set(boundary);
    this.finest = new Set(finest);
    this.draw();
  }

  get cut() {
    return this.line === "boundary" ? this.boundary : this.finest;
  }

  set cut(cut) {
    if (this.line === "boundary") this.boundary = cut;
    else this.finest = cut;
  }

  /** @param {Line} line @param {Set<number>} cut @param {boolean} final */
  moved(line, cut, final) {
    this.move(line, cut, final, this.eventTime);
  }

  // ---- geometry ----

  resize() {
    const width = this.element.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    this.svg.setAttribute("width", String(width));
    this.drawCells();
    this.draw();
  }

  /** @param {number} rows */
  x(rows) {
    return (rows / Math.max(1, this.tree.root.rows)) * this.width;
  }

  /** @param {PointerEvent} event the node under the pointer, or the leaf above it */
  nodeAt(event) {
    const box = this.svg.getBoundingClientRect();
    const rows = ((event.clientX - box.left) / box.width) * this.tree.root.rows;
    const depth = Math.max(0, Math.floor((event.clientY - box.top) / rowHeight));
    let node = this.tree.root;
    while (node.depth < depth) {
      const next = node.children.find((child) => rows < child.start + child.rows && child.rows);
      if (!next) break;
      node = next;
    }
    return node;
  }

  // ---- pointer ----

  /** @param {PointerEvent} event */
  grab(event) {
    this.eventTime = event.timeStamp;
    if (event.button || !isDrawn(this.tree, this.cut)) return;
    const finger = event.pointerType === "touch"; // elsewhere it scrolls the page
    if (finger && event.target !== this.grip && event.target !== this.handle) return;
    event.preventDefault();
    const anchor = this.leafUnder(event);
    this.held = { from: new Set(this.cut), anchor, pointer: event.pointerId };
    this.svg.setPointerCapture(event.pointerId);
    this.svg.classList.add("held");
    this.current = anchor;
    this.moved(this.line, this.cut, false);
  }

  /** @param {PointerEvent} event the lowest node under the pointer's place */
  leafUnder(event) {
    const box = this.svg.getBoundingClientRect();
    const rows = ((event.clientX - box.left) / box.width) * this.tree.root.rows;
    let node = this.tree.root;
    for (;;) {
      const next = node.children.find((child) => rows < child.start + child.rows && child.rows);
      if (!next) return node;
      node = next;
    }
  }

  /** @param {PointerEvent} event */
  hover(event) {
    this.eventTime = event.timeStamp;
    const node = this.nodeAt(event);
    this.showTip(node, event);
    if (!this.held || this.held.pointer !== event.pointerId) return;
    const box = this.svg.getBoundingClientRect();
    const depth = Math.max(0, Math.floor((event.clientY - box.top) / rowHeight));
    let target = this.held.anchor;
    while (target.parent && target.depth > depth) target = target.parent;
    this.moveTo(this.held.from, target, false);
  }

  /** @param {PointerEvent} event */
  putDown(event) {
    this.eventTime = event.timeStamp;
    if (!this.held || this.held.pointer !== event.pointerId) return;
    const from = this.held.from, cut = this.cut;
    this.letGo();
    if (from.size !== cut.size || [...from].some((id) => !cut.has(id)))
      this.moved(this.line, cut, true);
  }

  /** Escape during a drag: the line goes back to where it was. */
  takeBack() {
    if (!this.held) return;
    this.cut = this.held.from;
    this.letGo();
    this.draw();
    this.moved(this.line, this.cut, false);
  }

  letGo() {
    this.held = null;
    this.svg.classList.remove("held");
  }

  /** @param {Node} node @param {PointerEvent} event */
  showTip(node, event) {
    const box = this.element.getBoundingClientRect();
    this.tip.textContent = `${node.label}: ${rowsText(node.rows)} (${percent(node.rows, this.tree.root.rows)})`;
    this.tip.hidden = false;
    const left = event.clientX - box.left, room = box.width - this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, Math.min(room, left + 12))}px`;
    this.tip.style.top = `${event.clientY - box.top + 18}px`;
  }

  /**
   * Moves the line to a node, but never the boundary below `finest`, nor `finest` above it.
   * @param {Set<number>} from @param {Node} target @param {boolean} final
   */
  moveTo(from, target, final) {
    if (this.line === "boundary" && this.finest.size) {
      const low = boundaryOf(this.finest, target);
      if (low !== target && !covers(target, low) && this.finest.has(low.id)) target = low;
    }
    let cut = dragTo(from, target);
    if (this.line === "finest") cut = underBoundary(this.tree, cut, this.boundary);
    if (cut.size === this.cut.size && [...cut].every((id) => this.cut.has(id)) && !final) return;
    this.cut = cut;
    this.draw();
    this.moved(this.line, cut, final);
  }

  // ---- keyboard ----

  /** @param {KeyboardEvent} event */
  key(event) {
    this.eventTime = event.timeStamp;
    if (!isDrawn(this.tree, this.cut)) return;
    const at = boundaryOf(this.cut, this.current);
    const last = this.current.children.length ? this.widest(this.current) : this.current;
    switch (event.key) {
      case "ArrowUp":
        if (at.parent) this.moveTo(this.cut, at.parent, true);
        break;
      case "ArrowDown": {
        let next = last;
        while (next.parent && next.parent !== at && next !== at) next = next.parent;
        if (next !== at) this.moveTo(this.cut, next, true);
        break;
      }
      case "Home": this.moveTo(this.cut, this.tree.root, true); break;
      case "End": this.moveTo(this.cut, last, true); break;
      case "ArrowLeft": this.step(-1); break;
      case "ArrowRight": this.step(1); break;
      default: return;
    }
    event.preventDefault();
    this.draw();
  }

  /** @param {Node} node the leaf below it with most rows */
  widest(node) {
    while (node.children.length)
      node = node.children.reduce((a, b) => (b.rows > a.rows ? b : a));
    return node;
  }

  /** Goes to the next piece of the line. @param {number} by */
  step(by) {
    const pieces = this.pieces();
    const at = boundaryOf(this.cut, this.current);
    const index = Math.max(0, pieces.findIndex((piece) => piece.node === at));
    const next = pieces[(index + by + pieces.length) % pieces.length];
    this.current = this.widest(next.node);
  }

  // ---- drawing ----

  drawCells() {
    this.cells.replaceChildren();
    /** @type {Map<Node, SVGRectElement>} */
    this.rects = new Map();
    this.narrow = Array.from({ length: this.tree.depth + 1 }, () => []);
    /** @param {Node} node */
    const add = (node) => {
      const left = this.x(node.start), width = this.x(node.rows);
      if (width < narrowest) {
        if (node.rows) this.narrow[node.depth].push(node);
        node.children.forEach(add);
        return;
      }
      const y = node.depth * rowHeight + 2;
      const rect = s("rect", {
        x: left, y, width: Math.max(narrowest, width - (width > 5 ? 1 : 0)), height: rowHeight - 1,
      });
      this.cells.append(rect);
      this.rects?.set(node, rect);
      const text = shortened(node.label, width - padding - 2);
      if (text) this.cells.append(s("text", { x: left + padding, y: y + 19, "aria-hidden": "true" }, text));
      node.children.forEach(add);
    };
    add(this.tree.root);
  }

  /**
   * The pieces of a line, from left to right.
   * @param {Set<number>} cut
   */
  pieces(cut = this.cut) {
    /** @type {{node: Node, left: number, right: number}[]} */
    const list = [];
    /** @param {Node} node */
    const visit = (node) => {
      if (!node.rows) return;
      if (node.children.some((child) => child.rows)) {
        node.children.forEach(visit);
        return;
      }
      const at = boundaryOf(cut, node), before = list[list.length - 1];
      const left = this.x(node.start), right = this.x(node.start + node.rows);
      if (before && before.node === at) before.right = right;
      else list.push({ node: at, left, right });
    };
    visit(this.tree.root);
    return list;
  }

  /** @param {Line} line @returns {string} its path: over boundary nodes, below finest ones */
  path(line) {
    let path = "", before = -1, right = 0;
    for (const piece of this.pieces(line === "finest" ? this.finest : this.boundary)) {
      const y = this.lineAt(piece.node, line);
      if (y !== before) path += `${path ? `H${right.toFixed(1)}V${y}` : `M${piece.left.toFixed(1)} ${y}`}`;
      before = y;
      right = piece.right;
    }
    return path && `${path}H${right.toFixed(1)}`;
  }

  /** @param {Node} node @param {Line} line */
  lineAt(node, line) {
    return (node.depth + (line === "finest" ? 1 : 0)) * rowHeight + 2;
  }

  draw() {
    if (!this.width || !this.rects) return;
    const open = publishable(this.tree, this.boundary), fine = this.hasFinest();
    const kind = (/** @type {Node} */ node) =>
      !open[node.index] ? "past" : fine && isBelow(this.finest, node) ? "fine" : "open";
    for (const [node, rect] of this.rects) rect.setAttribute("class", `cell ${kind(node)}`);
    this.drawBands(kind);
    const lines = [s("path", { class: "line boundary", d: this.path("boundary") })];
    if (this.line === "finest" || this.hasFinest())
      lines.unshift(s("path", { class: "line finest", d: this.path("finest") }));
    this.over.replaceChildren(...lines);
    this.grip.setAttribute("d", this.path(this.line));
    this.drawHandle();
  }

  /** Nodes that are too narrow, side by side as one band. @param {(node: Node) => string} kind */
  drawBands(kind) {
    /** @type {Map<string, string>} */
    const paths = new Map();
    this.narrow.forEach((nodes, depth) => {
      let now = "", left = 0, right = 0;
      const put = () => {
        if (!now) return;
        const y = depth * rowHeight + 2, width = Math.max(narrowest, right - left);
        paths.set(now, `${paths.get(now) ?? ""}M${left.toFixed(1)} ${y}h${width.toFixed(1)}v${rowHeight - 1}h${-width.toFixed(1)}z`);
      };
      for (const node of nodes) {
        const start = this.x(node.start), next = kind(node);
        if (next !== now || start > right + 1) {
          put();
          left = start;
          now = next;
        }
        right = start + this.x(node.rows);
      }
      put();
    });
    this.bands.replaceChildren(...[...paths].map(([name, d]) => s("path", { class: `cell many ${name}`, d })));
  }

  hasFinest() {
    return [...this.finest].some((id) => this.tree.byId.get(id)?.children.length);
  }

  nameHandle() {
    this.handle.setAttribute("aria-label", `${this.line === "finest" ? "Finest values" : "Boundary"} of ${this.tree.name}`);
  }

  drawHandle() {
    const pieces = this.pieces(), at = boundaryOf(this.cut, this.current);
    const piece = pieces.find((one) => one.node === at &&
      this.x(this.current.start) >= one.left - 1 && this.x(this.current.start) <= one.right + 1) ??
      pieces.find((one) => one.node === at) ?? pieces[0];
    if (!piece) return;
    const width = Math.min(44, Math.max(14, piece.right - piece.left));
    const y = this.lineAt(piece.node, this.line) - 5;
    const middle = (piece.left + piece.right) / 2;
    const set = (/** @type {string} */ name, /** @type {string | number} */ value) =>
      this.handle.setAttribute(name, String(value));
    set("x", Math.max(0, Math.min(this.width - width, middle - width / 2)));
    set("y", Math.max(0, y));
    set("width", width);
    this.nameHandle();
    set("aria-valuemin", 0);
    set("aria-valuemax", this.tree.depth);
    set("aria-valuenow", this.tree.depth - piece.node.depth);
    set("aria-valuetext", `${piece.node.label}, ${rowsText(piece.node.rows)}`);
    this.handle.classList.toggle("low", this.line === "finest");
  }
}

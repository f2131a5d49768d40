// main.js - puts the page together: one state, which the server has, and views that show it.
// @ts-check
import { BoundariesView } from "./boundaries.js";
import { ColumnsView } from "./columns.js";
import { CompareView } from "./compare.js";
import { byId, say } from "./dom.js";
import { JobView } from "./job.js";
import { OpenView } from "./open.js";
import { PriceView } from "./price.js";
import { RunView } from "./run.js";
import { get, post, Refused, Watcher } from "./server.js";

/** @typedef {import("./server.js").State} State */

/** Sends an action, shows why it was refused, and asks for the new state. @param {Promise<any>} action */
async function act(action) {
  busy(1);
  try {
    await action;
    banner(null);
  } catch (error) {
    if (error instanceof Refused) banner(error.message);
  }
  await watcher.ask();
  busy(-1);
}

let actions = 0, refused = "";

/** Counts the actions that are under way. @param {number} more */
function busy(more) {
  actions += more;
  document.querySelector("main")?.setAttribute("aria-busy", String(actions > 0));
}

/** @param {string | null} text @param {HTMLElement} [more] */
function banner(text, more) {
  const place = byId("banner");
  place.hidden = text === null;
  if (text !== null) place.replaceChildren(text, ...(more ? [" ", more] : []));
}

let away = false;

/** @param {"gone" | "unknown" | null} reason */
function gone(reason) {
  document.body.classList.toggle("away", reason !== null);
  if (reason === null) {
    if (away) {
      banner(null);
      say("The server is there again.");
    }
    away = false;
    return;
  }
  away = true;
  banner(reason === "gone"
    ? "The server does not answer: it was stopped, or killed. This page tries to reconnect. Start it again with " +
      "`hedgerow ui` (and the same --port), and open the address that it prints."
    : "The server was started again and does not know this page yet: open the address that it printed.");
}

/** On a narrow screen the cost stays in view, because its section scrolls away. @param {string} text */
function pin(text) {
  byId("pin").hidden = !text;
  byId("pin").textContent = text;
}

const open = new OpenView(act);
const columns = new ColumnsView(act);
const price = new PriceView(act);
const boundaries = new BoundariesView(act, (moved) => {
  price.move(moved);
  pin(price.text());
}, (why) => {
  price.unpriced(why);
  pin(price.text());
});
const job = new JobView(act);
const run = new RunView(act);
const compare = new CompareView(act);

/** @param {State} state */
function show(state) {
  document.body.dataset.seen = String(state.seen);
  byId("work").hidden = byId("sections").hidden = !state.job;
  byId("problem").textContent = state.problem;
  byId("what").textContent = state.quick?.kind === "open" ? `Opening … ${state.quick.stage}`
    : state.job ? `${state.job.path ?? state.job.address ?? ""}${state.job.path && !state.job.saved ? " (not saved)" : ""}` : "";
  for (const [id, can] of /** @type {[string, boolean | undefined][]} */ ([
    ["undo", state.job?.undo], ["redo", state.job?.redo], ["save", Boolean(state.job) && !state.job?.saved]]))
    /** @type {HTMLButtonElement} */ (byId(id)).disabled = !can;
  if (state.refused !== refused) banner((refused = state.refused) || null);
  document.title = state.job ? `${state.job.path ?? state.job.address} – Hedgerow` : "Hedgerow";
  open.show(state);
  if (!state.job) return;
  columns.show(state);
  price.show(state);
  pin(state.problem || price.text());
  void boundaries.show(state);
  job.show(state);
  run.show(state);
  compare.show(state);
}

const watcher = new Watcher(show, gone);

byId("undo").addEventListener("click", () => act(post("/api/undo")));
byId("redo").addEventListener("click", () => act(post("/api/redo")));
byId("save").addEventListener("click", () => act(post("/api/save")));
byId("quit").addEventListener("click", () => {
  if (confirm("Stop the server? Files that were dropped on the page are removed.")) void act(post("/api/quit"));
});
addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLTextAreaElement ||
    (event.target instanceof HTMLInputElement && event.target.type !== "radio");
  if (!(event.ctrlKey || event.metaKey)) return;
  const key = event.key.toLowerCase();
  if (key === "s") {
    event.preventDefault();
    void act(post("/api/save"));
  } else if (key === "z" && !typing) {
    event.preventDefault();
    void act(post(event.shiftKey ? "/api/redo" : "/api/undo"));
  }
});

async function start() {
  await watcher.ask();
  try {
    const lists = await get("/api/lists");
    run.setAlgorithms(lists.algorithms);
    compare.setAlgorithms(lists.algorithms);
  } catch {
    // the banner says why
  }
}
void start();

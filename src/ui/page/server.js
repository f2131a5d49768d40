// server.js - talks to the server: asks for the state again and again, sends actions, and notices
// when the server has gone.
// @ts-check

/**
 * @typedef {{kind: string, seconds: number, stage: string, done: number, total: number,
 *   stopping: boolean, measure: string, points: [number, number | null, number | null][],
 *   notices: string[]}} Task
 * @typedef {{name: string, type?: string, reason?: string, values?: number, missing?: number,
 *   guess?: string, unique_alone?: number | null, job: Record<string, any> | null}} Column
 * @typedef {[string, string | null, number, number]} Lost name, value, rows, lost
 * @typedef {{revision: number, k: number, p: number, rows: number, suppressed: number,
 *   dropped: number, lost: Lost[], ks: number[], ps: number[], grid: number[] | null,
 *   boundaries: Record<string, number[]>, finest: Record<string, number[]>}} Price
 * @typedef {{text: string, path: string | null, address: string | null, dropped: boolean,
 *   saved: boolean, undo: boolean, redo: boolean, algorithm: any, effort: any}} Job
 * @typedef {{error?: string, cancelled?: boolean, algorithm: string, k: number, p: number,
 *   rows: number, released: number, suppressed: number, classes: number, violations: number,
 *   achieved_k: number, achieved_p: number | null, ntil: number | null,
 *   ntil_bound: number | null, seconds: number, summary: string, warnings: string[],
 *   points: [number, number | null, number | null][]}} Facts
 * @typedef {{id: number, whole: boolean, facts: Facts}} Run
 * @typedef {{error?: string, share: number, rows: number, budget: number, exact: boolean,
 *   combinations: {suppressed: number, loss: number,
 *     levels: Record<string, string | number | null>}[],
 *   pairs: [number, number, number][]}} Suggestion
 * @typedef {{algorithm: string, k: number, p: number, best: boolean, note: string | null,
 *   ntil?: number | null, classes?: number, suppressed?: number, seconds?: number}} Compared
 * @typedef {{error?: string, rows?: Compared[]}} Comparison
 * @typedef {{seen: number, server: number, quick: Task | null, slow: Task | null, start: string,
 *   revision: number, trees: number, problem: string, refused: string, suggesting: boolean,
 *   job: Job | null, columns: Column[],
 *   price: Price | null, suggestion: Suggestion | null, comparison: Comparison | null,
 *   runs: Run[]}} State
 * @typedef {{pending?: boolean, suppressed: number, rows: number, cells: number, grid: number[],
 *   lost: Lost[]}} Moved
 */

/** An answer of the server that says no; its text is for the user. */
export class Refused extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<any>}
 */
async function request(path, options) {
  const response = await fetch(path, { credentials: "same-origin", ...options });
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(body.error ?? "the server refused", response.status);
  return body;
}

/** @param {string} path @returns {Promise<any>} */
export function get(path) {
  return request(path);
}

/** @param {string} path @param {object} [body] @returns {Promise<any>} */
export function post(path, body = {}) {
  return request(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** @param {string} path @param {Blob} bytes @returns {Promise<any>} */
export function postBytes(path, bytes) {
  return request(path, {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream" },
    body: bytes,
  });
}

const calmMilliseconds = 1000, busyMilliseconds = 150;

/**
 * Watches the state: calls `changed` with every new one, and `gone` with the reason when the
 * server does not answer.
 */
export class Watcher {
  /**
   * @param {(state: State) => void} changed
   * @param {(reason: "gone" | "unknown" | null) => void} gone null: the server is there
   */
  constructor(changed, gone) {
    this.changed = changed;
    this.gone = gone;
    /** @type {State | null} */
    this.state = null;
    /** @type {number | undefined} */
    this.timer = undefined;
    /** @type {Promise<void> | null} */
    this.asking = null;
  }

  /** Asks now; an answer that is under way may be older than what the caller did. */
  async ask() {
    while (this.asking) await this.asking;
    clearTimeout(this.timer);
    this.asking = this.askOnce();
    await this.asking;
    this.asking = null;
  }

  async askOnce() {
    let again = false;
    let wait = calmMilliseconds;
    try {
      const answer = await get(`/api/state?seen=${this.state?.seen ?? 0}`);
      if (this.state && this.state.server !== answer.server) this.state = null;
      this.gone(null);
      if (answer.job !== undefined || this.state) {
        this.state = /** @type {State} */ ({ ...this.state, ...answer });
        this.changed(this.state);
      } else {
        again = true; // another server: everything is new
      }
      if (this.state && (this.state.quick || this.state.slow)) wait = busyMilliseconds;
    } catch (error) {
      this.gone(error instanceof Refused ? "unknown" : "gone");
    }
    this.timer = setTimeout(() => this.ask(), again ? 0 : wait);
  }
}

// start.mjs - helpers of the page's tests: starts `hedgerow ui` in a folder, opens Chromium, counts
// what was checked.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { once } from "node:events";

export const [command, modules, work, browserPath] = process.argv.slice(2);
const require = createRequire(`${modules}/`);

let failed = 0, checked = 0;

export function check(good, what) {
  checked++;
  if (good) return;
  failed++;
  console.log(`FAILED ${what}`);
}

export function equal(found, expected, what) {
  check(found === expected, `${what}: found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);
}

export function finish(least) {
  if (checked < least) check(false, `only ${checked} checks were made`);
  console.log(failed ? `${failed} of ${checked} checks failed` : `ok: ${checked} checks`);
  process.exit(failed ? 1 : 0);
}

export function load(name) {
  return require(name);
}

const children = new Set();
process.on("exit", () => children.forEach((child) => child.kill("SIGKILL")));

/** Starts the server in a folder; resolves with its address once it is printed. */
export async function serve(folder, ...args) {
  const child = spawn(command, ["ui", "--no-browser", ...args], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  children.add(child);
  const server = { child, out: "", err: "", address: "", port: 0, ended: once(child, "exit") };
  child.stderr.on("data", (text) => (server.err += text));
  await new Promise((resolve, reject) => {
    child.stdout.on("data", (text) => {
      server.out += text;
      if (server.out.includes("\n")) resolve();
    });
    child.on("exit", () => reject(new Error(`the server ended: ${server.err}`)));
  });
  server.address = server.out.trim();
  server.port = Number(new URL(server.address).port);
  server.origin = `http://127.0.0.1:${server.port}`;
  return server;
}

/** Opens a browser whose requests to any other place are counted and refused. */
export async function browse(options = {}) {
  const { chromium } = load("playwright-core");
  const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const strange = [], complaints = [];
  context.on("request", (request) => {
    if (!request.url().startsWith("http://127.0.0.1:")) strange.push(request.url());
  });
  const watch = (page) => {
    page.on("console", (message) => {
      if (message.type() === "error" && !/Failed to load resource/.test(message.text())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    return page;
  };
  return { browser, context, strange, complaints, newPage: async () => watch(await context.newPage()) };
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

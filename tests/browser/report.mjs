// report.mjs - the reports of a release and the page of a comparison in Chromium, light and dark, wide
// and narrow, and on paper: every chart has content and a name, no texts overlap or leave their chart,
// nothing is requested, no script fails, and axe finds nothing serious.
import fs from "node:fs";
import path from "node:path";
import { spawnSync } from "node:child_process";
import { browse, check, command, equal, finish, load, modules, work } from "./start.mjs";

const axe = fs.readFileSync(load("node:module").createRequire(`${modules}/`).resolve("axe-core/axe.min.js"), "utf8");

function run(...args) {
  const done = spawnSync(command, args, { cwd: work, encoding: "utf8" });
  equal(done.status, 0, `hedgerow ${args.join(" ")}: ${done.stderr}`);
}

/** Makes the pages: one with boundaries, numbers, trees of any size and suppressed rows; one of means. */
function makePages() {
  fs.mkdirSync(work, { recursive: true });
  run("generate", "patients", "--rows", "1500", "--seed", "3", "-o", ".", "--quiet");
  run("anonymize", "patients.yaml", "-k", "6", "--effort", "quick", "--quiet", "--boundary", "zip=level:3", "--boundary",
    "birth_date=level:20 years", "--hierarchy", "length_of_stay={intervals: [5, 20]}", "--study", "length_of_stay:cost,sex:icd10",
    "--report", "report.html", "--public-report", "public.html");
  run("anonymize", "patients.csv", "--numeric", "length_of_stay", "--quasi", "length_of_stay", "--boundary", "length_of_stay=width:20",
    "--sensitive", "department", "-k", "4", "-o", "number.csv", "--quiet", "--report", "number.html");
  run("anonymize", "patients.csv", "--quasi", "length_of_stay", "--numeric", "length_of_stay", "-a", "mdav", "-k", "4", "--sensitive", "department",
    "-o", "means.csv", "--quiet", "--report", "means.html");
  run("compare", "patients.yaml", "-a", "mam,greedy-pk", "-k", "3,5,10", "-p", "1,2", "-o", "compare.html", "--quiet");
}

/** Labels of any script and length, marks of HTML, more values than a chart has room for, many cut points. */
function makeOdd() {
  const labels = ["<script>alert(1)</script>", 'a & "b"', "مرحبا بالعالم", "👩‍👩‍👧‍👦 family", "x".repeat(300), "word ".repeat(60), "W".repeat(26),
    "i".repeat(40), "\u202edesrever", "", "日本語の長い名前を持つ値です", "-->", "]]>"];
  const name = `a <b>name</b> & ${"y".repeat(200)}`;
  const field = (text) => `"${text.replaceAll('"', '""')}"`;
  const rows = [[name, "شهر", "pay", "ill<i>"]];
  for (let i = 0; i < 900; i++)
    rows.push([labels[i % 13], `town ${(i * 7) % 61}`, String(1000 + ((i * 7919) % 1000) * 99), `ill ${(i >> 2) % 5}`]);
  fs.writeFileSync(path.join(work, "odd.csv"), rows.map((row) => row.map(field).join(",")).join("\n"));
  const attributes = {
    [name]: { role: "quasi", hierarchy: { frequency: [4] }, on_missing: "group" },
    "شهر": { role: "quasi", hierarchy: "flat" },
    pay: { role: "quasi", type: "numeric", boundary: { width: 2000 } },
    "ill<i>": { role: "sensitive" },
  };
  const job = { input: "odd.csv", output: "odd-masked.csv", model: { k: 3, p: 2, alpha: 0.8, t: 0.9 }, effort: "quick", study: [[name, "ill<i>"]], attributes };
  fs.writeFileSync(path.join(work, "odd.json"), JSON.stringify(job));
  run("anonymize", "odd.json", "--quiet", "--report", "odd.html", "--public-report", "odd-public.html");
}

/** Faults of the charts of the page, as texts. */
function faults() {
  const say = [];
  document.querySelectorAll("details").forEach((d) => (d.open = true));
  const box = (e) => e.getBoundingClientRect();
  const cross = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  for (const chart of document.querySelectorAll("svg.chart")) {
    const name = chart.getAttribute("aria-label"), frame = box(chart);
    const out = (b) => b.left < frame.left - 1 || b.right > frame.right + 1 || b.top < frame.top - 1 || b.bottom > frame.bottom + 1;
    const shapes = [...chart.querySelectorAll("rect, path.line, path.mark")].map(box);
    const texts = [...chart.querySelectorAll("text")].filter((t) => t.textContent).map(box);
    if (!name) say.push("a chart without a name");
    if (chart.getAttribute("role") !== "img") say.push(`${name}: no image to screen readers`);
    if (!shapes.some((b) => b.width + b.height > 1)) say.push(`${name}: nothing is drawn`);
    if (shapes.some(out)) say.push(`${name}: a shape leaves the chart`);
    if (texts.some(out)) say.push(`${name}: a text leaves the chart`);
    if (texts.some((a, i) => texts.some((b, j) => i < j && cross(a, b)))) say.push(`${name}: texts overlap`);
  }
  if (document.documentElement.scrollWidth > innerWidth) say.push("the page is wider than the window");
  for (const table of innerWidth > 1000 ? document.querySelectorAll(".scroll") : [])
    if (table.scrollWidth > table.clientWidth + 1) say.push(`a table is cut: ${table.textContent.slice(0, 40)}`);
  performance.getEntriesByType("resource").forEach((r) => say.push(`asked for ${r.name}`));
  return say;
}

async function look(name, charts, options) {
  const { browser, context, strange, complaints, newPage } = await browse(options);
  const page = await newPage();
  const address = `file://${path.join(work, name)}`;
  const what = `${name} ${options.viewport.width} ${options.colorScheme}`;
  await page.goto(address);
  check((await page.evaluate(faults)).length === 0, `${what}: ${(await page.evaluate(faults)).join("; ")}`);
  const found = await page.locator("svg.chart").count();
  check(found >= charts, `${what}: ${found} charts, expected at least ${charts}`);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  for (const v of violations)
    check(v.impact === "minor", `${what}: axe: ${v.id} (${v.impact}): ${v.help}: ${v.nodes[0].html.slice(0, 160)}`);
  equal(complaints.join("; "), "", `${what}: complaints`);
  equal(strange.filter((url) => url !== address).join(" "), "", `${what}: requests`);
  if (options.colorScheme === "light" && options.viewport.width > 1000) {
    const pdf = await page.pdf({ preferCSSPageSize: true });
    check(pdf.length > 10000, `${what}: the paper is empty`);
  }
  await context.close();
  await browser.close();
}

makePages();
makeOdd();
const pages = [["report.html", 25], ["public.html", 2], ["number.html", 5], ["means.html", 4], ["compare.html", 3], ["odd.html", 9], ["odd-public.html", 2]];
for (const [name, charts] of pages)
  for (const colorScheme of ["light", "dark"])
    for (const width of [1280, 420]) await look(name, charts, { colorScheme, viewport: { width, height: 900 } });
finish(110);

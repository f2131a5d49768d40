// page.mjs - the page in Chromium: a new user's whole way with the pointer, the same with the
// keyboard alone, two tabs, a reload during a run, a server that is killed, narrow and dark windows.
// Every number is compared with what the command prints.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { browse, check, command, equal, finish, load, serve, sleep, work } from "./start.mjs";

fs.mkdirSync(work, { recursive: true });
const run = (...args) => execFileSync(command, args, { cwd: work, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
run("generate", "patients", "--rows", "3000", "-o", "patients");
run("generate", "census", "--rows", "20000", "-o", "census");
const start = path.join(work, "start"), downloads = path.join(work, "downloads");
fs.mkdirSync(start);
fs.mkdirSync(downloads);
fs.cpSync(path.join(work, "census"), path.join(start, "census"), { recursive: true });

/** Rows suppressed, as `hedgerow boundaries` prints them for this text of a job. */
function price(text, folder, ...flags) {
  const job = path.join(folder, "asked.yaml");
  fs.writeFileSync(job, text);
  const lines = run("boundaries", job, "--format", "csv", "--quiet", ...flags).trim().split("\n");
  const at = lines[0].split(",").indexOf("suppressed");
  fs.rmSync(job);
  return lines.slice(1).map((line) => Number(line.split(",")[at]));
}

const number = async (page) => Number((await page.textContent("#suppressed")).replaceAll(",", ""));
const jobText = (page) => page.inputValue("#job-text");
/** Waits until the server has nothing to do and the page shows what it has. */
async function calm(page) {
  for (let i = 0; i < 600; i++) {
    const ready = await page.evaluate(async () => {
      const state = await (await fetch("/api/state")).json();
      return !document.querySelector('[aria-busy="true"]') && !state.quick && !state.slow &&
        document.body.dataset.seen === String(state.seen) && document.querySelector("#job-text")?.value === state.job?.text.replaceAll("\r\n", "\n") &&
        (!state.price || document.querySelector("#suppressed").textContent.replaceAll(",", "") === String(state.price.suppressed));
    });
    if (ready) return;
    await sleep(100);
  }
  throw new Error("the page does not come to rest");
}

/** Presses Tab until the focus is on what is looked for. */
async function tabTo(page, what, test, argument) {
  for (let i = 0; i < 120; i++) {
    if (await page.evaluate(test, argument)) return;
    await page.keyboard.press("Tab");
  }
  check(false, `Tab never reaches ${what}`);
}

async function noFaults(page, what) {
  const axe = fs.readFileSync(load("node:module").createRequire(`${process.argv[3]}/`).resolve("axe-core/axe.min.js"), "utf8");
  // axe is a script of the test, which the policy of the page would refuse: it is evaluated instead
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const serious = found.violations.filter((one) => ["serious", "critical"].includes(one.impact));
  check(serious.length === 0, `${what}: ${serious.map((one) => `${one.id} ${one.nodes.map((node) => node.target).slice(0, 3)}`).join("; ")}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check(wide <= 0, `${what}: the page is ${wide} pixels wider than the window`);
}

// ---- a new user's whole way ----
const server = await serve(start);
const { browser, context, strange, complaints, newPage } = await browse({ acceptDownloads: true });
const page = await newPage();
await page.goto(server.address);
equal(page.url(), `${server.origin}/`, "the token leaves the address");
check(await page.isVisible("#drop"), "a file can be dropped");
await noFaults(page, "the first page");
const patients = fs.readFileSync(path.join(work, "patients/patients.csv"), "utf8");
await page.evaluate((text) => {
  const data = new DataTransfer();
  data.items.add(new File([text], "patients.csv", { type: "text/csv" }));
  document.querySelector("#drop").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}, patients);
await page.waitForSelector(".columns");
await page.waitForSelector(".icicle .handle");
await calm(page);

// correct a role
await page.selectOption('select[aria-label="role of insurance"]', "sensitive");
await calm(page);
check(/insurance: \{role: sensitive/.test(await jobText(page)), "the job has the new role");
check(await page.locator('article[data-column="insurance"]').count() === 0, "insurance has no hierarchy any more");

// without a sensitive column p is 1, and undo brings both back
const roles = await jobText(page), sensitive = [...roles.matchAll(/^ +(\S+): \{role: sensitive/gm)].map((one) => one[1]);
check(sensitive.length > 1 && /p: 2/.test(roles), `columns that are sensitive: ${sensitive}`);
for (const column of sensitive) {
  await page.selectOption(`select[aria-label="role of ${column}"]`, "drop");
  await calm(page);
  equal(await page.textContent("#problem"), "", `${column} is dropped`);
}
check(/model: \{k: 5, p: 1\}/.test(await jobText(page)), "p without a sensitive column");
for (const _ of sensitive) {
  await page.click("#undo");
  await calm(page);
}
equal(await jobText(page), roles, "undo of the roles");

// drag the boundary of birth_date down, and compare with the command
const box = async (column) => page.locator(`article[data-column="${column}"] .icicle`).boundingBox();
async function drag(column, share, from, to, last = to) {
  await page.locator(`article[data-column="${column}"] .icicle`).scrollIntoViewIfNeeded();
  const at = await box(column), x = at.x + share * at.width;
  await page.mouse.move(x, at.y + from * 30 + 6);
  await page.mouse.down();
  const seen = [];
  for (let depth = from; depth <= to; depth++) {
    await page.mouse.move(x, at.y + depth * 30 + 12, { steps: 3 });
    await page.waitForTimeout(150);
    seen.push(await number(page));
  }
  if (last !== to) await page.mouse.move(x, at.y + last * 30 + 12, { steps: 3 });
  await page.mouse.up();
  await calm(page);
  return seen;
}
const before = await number(page);
const seen = await drag("birth_date", 0.3, 0, 2);
const after = await number(page);
check(new Set(seen).size > 1, `the number follows the drag: ${seen}`);
equal(seen[seen.length - 1], after, "the number while dragging is the one of the job");
const dropped = path.join(work, "dropped");
fs.mkdirSync(dropped);
fs.writeFileSync(path.join(dropped, "patients.csv"), patients);
equal(after, price(await jobText(page), dropped)[0], "the number that `hedgerow boundaries` prints");
check(after >= before, "a lower boundary suppresses no fewer rows");
check(/birth_date: \{[^#\n]*boundary: /.test(await jobText(page)), "the job has the boundary");

// while the line is held, what the server says meanwhile does not bring the old number back
async function hold(column, share, from, to) {
  await page.locator(`article[data-column="${column}"] .icicle`).scrollIntoViewIfNeeded();
  const at = await box(column), x = at.x + share * at.width;
  await page.mouse.move(x, at.y + from * 30 + 6);
  await page.mouse.down();
  await page.mouse.move(x, at.y + to * 30 + 12, { steps: 3 });
  await page.waitForTimeout(2500);
  const held = await page.textContent("#suppressed"), why = await page.textContent("#counting");
  await page.mouse.up();
  await calm(page);
  return [held, await page.textContent("#suppressed"), why];
}
const [held, put] = await hold("zip", 0.6, 0, 3);
check(held === put && held !== String(after), `the number stays while the line is held: ${held}, then ${put}`);
await page.click("#undo");
await calm(page);
// with other models, and with numbers whose cells are chosen, the rows are counted when the line is released
for (const [from, to] of [[/model: \{/, "model: {alpha: 0.9, "], [/length_of_stay: \{.*\}/, "length_of_stay: {role: quasi, type: numeric, boundary: {cells: 3}}"]]) {
  await page.fill("#job-text", (await jobText(page)).replace(from, to));
  await page.click("#apply");
  await calm(page);
  const [unknown, known, why] = await hold("zip", 0.6, 0, 3);
  check(unknown === "…" && /when you release/.test(why), `the page says that the number is not known: ${unknown}, ${why}`);
  equal(known.replaceAll(",", ""), String(price(await jobText(page), dropped)[0]), `the number with ${to}`);
  await page.click("#undo");
  await page.click("#undo");
  await calm(page);
  equal(await number(page), after, "undo of both");
}

// the heat map is the table of `boundaries`
const cells = await page.locator(".map button").evaluateAll((all) => all.map((one) => [one.dataset.k, one.dataset.p, Number(one.dataset.rows)]));
const ks = [...new Set(cells.map((one) => one[0]))].join(), ps = [...new Set(cells.map((one) => one[1]))].join();
equal(cells.map((one) => one[2]).join(), price(await jobText(page), dropped, "-k", ks, "-p", ps).join(), "the heat map");

// undo, redo, finest, suggestion
const drawn = await jobText(page);
await page.click("#undo");
await calm(page);
check(!/birth_date: \{[^#\n]*boundary: /.test(await jobText(page)), "undo");
await page.click("#redo");
await calm(page);
equal(await jobText(page), drawn, "redo");
await page.selectOption('select[aria-label="finest of zip"]', { index: 1 });
await calm(page);
check(/zip: \{[^#\n]*finest: /.test(await jobText(page)), "finest in the job");
await page.click("#undo");
await calm(page);
await page.check('input[value="finest"]');
await drag("admission_date", 0.4, 4, 4, 3);
const line = /admission_date: \{[^#\n]*finest: (\[[^\]]*\])/.exec(await jobText(page))?.[1] ?? "none";
check(/^\["20\d\d-\d\d"\]$/.test(line), `finest dragged to one month is that month, no list of values: ${line.slice(0, 60)}`);
equal(await number(page), price(await jobText(page), dropped)[0], "the number with a finest month");
await page.check('input[value="boundary"]');
await page.click("#undo");
await calm(page);
await page.selectOption('select[aria-label="boundary of birth_date"]', { label: "none (up to the root)" });
await calm(page);
for (const wrong of ["-1", "101", ""]) {
  await page.fill("#share", wrong);
  await page.click("#suggest");
  check(/from 0 to 100 %/.test(await page.textContent("#suggestion")), `a share of ${wrong} % is refused`);
}
// the fields of k and p show what the job has
for (const wrong of ["0", "-3", "2.5", ""]) {
  await page.fill("#model-k", wrong);
  await page.keyboard.press("Tab");
  equal(await page.inputValue("#model-k"), "5", `k ${wrong}`);
}
await page.fill("#share", "5");
await page.click("#suggest");
await page.waitForSelector('#suggestion button[aria-label="Use suggestion 1"]', { timeout: 60000 });
const promised = Number((await page.textContent("#suggestion tbody tr td:nth-child(2)")).split(" ")[0].replaceAll(",", ""));
await page.click('#suggestion button[aria-label="Use suggestion 1"]');
await calm(page);
equal(await number(page), promised, "the suggestion suppresses what it says");
check(promised <= 150, "the suggestion keeps to its share");


// boundaries drawn through nodes stay as they are, and the page says so when nothing is found
const free = await jobText(page);
await drag("birth_date", 0.3, 0, 2);
await page.fill("#share", "0");
await page.click("#suggest");
await page.waitForFunction(() => /left as you drew it/.test(document.querySelector("#suggestion").textContent), null, { timeout: 60000 });
await page.click("#undo");
await calm(page);
equal(await jobText(page), free, "undo of the drag");

// run, reload in the middle, classes, download, check
await page.selectOption("#effort", "quick");
await calm(page);
await page.click("#start");
await page.reload();
await page.waitForSelector(".runs tbody tr", { timeout: 120000 });
await page.waitForSelector("#download-release-run");
await noFaults(page, "after a run");
const sizes = await page.locator("#detail .tall tbody tr td:first-child").allTextContents();
check(sizes.length > 0 && sizes.every((one) => Number(one.replaceAll(",", "")) >= 5), "classes have at least k rows");
async function download(selector, name) {
  const [file] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
  await file.saveAs(path.join(downloads, name));
  return path.join(downloads, name);
}
const release = await download("#download-release-run", "release.csv");
const job = await download("#download-job", "job.yaml");
const report = JSON.parse(fs.readFileSync(await download("#download-report-run", "report.json"), "utf8"));
fs.copyFileSync(job, path.join(dropped, "job.yaml"));
const verdict = spawnSync(command, ["check", release, "job.yaml"], { cwd: dropped, encoding: "utf8" });
equal(verdict.status, 0, `check says yes: ${verdict.stdout}${verdict.stderr}`);
equal(fs.readFileSync(release, "utf8").trim().split("\n").length - 1, report.rows.released, "the report counts the release");
const reading = await newPage();
await reading.goto(`${server.origin}/report?run=1`);
check(/report/i.test(await reading.title()), "the report is a page");
check(await reading.evaluate(() => document.styleSheets.length === 1 && document.styleSheets[0].cssRules.length > 5), "the report has its style");
await noFaults(reading, "the report");
await reading.close();
run("anonymize", path.join(dropped, "job.yaml"), "-o", path.join(dropped, "again.csv"), "--quiet");
equal(fs.readFileSync(path.join(dropped, "again.csv"), "utf8"), fs.readFileSync(release, "utf8"), "the command makes the same release");

// the file of an earlier run stays what it was, although the output of the job is replaced
const first = fs.readFileSync(release, "utf8");
await page.fill("#model-k", "6");
await page.keyboard.press("Tab");
await calm(page);
await page.click("#start");
await page.waitForSelector(".runs tbody tr:nth-child(2)", { timeout: 120000 });
await calm(page);
const released = (id) => page.evaluate(async (run) => (await fetch(`/download/release?run=${run}`)).text(), id);
equal(await released(1), first, "the release of the first run");
check(await released(2) !== first, "the second run has another release");

// another algorithm has no effort; a run that takes a moment is shown like others
await page.selectOption("#algorithm", "mam");
await calm(page);
check(!/effort/.test(await jobText(page)) && await page.isDisabled("#effort"), "no effort without hedge");
await page.click("#start");
await page.waitForSelector(".runs tbody tr:nth-child(3)", { timeout: 120000 });
await calm(page);
equal(await page.textContent("#detail h3"), "Run #3", "the newest run is shown");
check(/mam/.test(await page.textContent(".runs tbody tr:first-child")), "a run of mam");
await page.selectOption("#algorithm", "hedge");
await calm(page);

// what cannot be opened leaves the job as it is
fs.writeFileSync(path.join(start, "empty.csv"), "");
await page.click("#open summary");
await page.fill("#address", "empty.csv");
await page.click("#open-address");
await page.waitForFunction(() => /empty.csv/.test(document.querySelector("#banner").textContent));
equal(await page.textContent("#problem"), "", "the job has no problem");
check(await page.isEnabled("#start"), "the job can still be run");

// a suggestion that is asked for while the table is counted comes after that
await page.evaluate(async () => {
  const post = (to, body) => fetch(to, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  await post("/api/role", { column: "zip", role: "drop" });
  await post("/api/suggest", { share: 0.05 });
});
await page.waitForSelector('#suggestion button[aria-label="Use suggestion 1"]', { timeout: 60000 });
await calm(page);
check(!/zip/.test(await page.textContent("#suggestion")), "the suggestion is for the new roles");
await page.click("#undo");
await calm(page);

// a database that is dropped is opened by the name of one of its tables
if (spawnSync("python3", ["-c", `import sqlite3
db = sqlite3.connect("study 1.db")
db.execute("CREATE TABLE visits (age, zip)")
db.executemany("INSERT INTO visits VALUES (?, ?)", [(20 + i % 9, 10 + i % 7) for i in range(300)])
db.commit()`], { cwd: work }).status === 0) {
  await page.setInputFiles("#file", path.join(work, "study 1.db"));
  await page.waitForFunction(() => document.querySelector("#address").value === "sqlite:study 1.db?table=");
  await page.fill("#address", "sqlite:study 1.db?table=visits");
  await page.click("#open-address");
  await page.waitForFunction(() => /visits/.test(document.querySelector("#job-text").value));
  await calm(page);
  check(/^input: "sqlite:study 1.db\?table=visits"$/m.test(await jobText(page)), "the job names the database beside it");
}

// saving a job takes a free name and never overwrites changes made elsewhere
const saved = await page.evaluate(async () => {
  const post = (to, body) => fetch(to, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const rest = async () => {
    for (;;) {
      const state = await (await fetch("/api/state")).json();
      if (!state.quick) return state;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  await post("/api/open", { address: "census/census.csv" });
  await rest();
  await post("/api/save", {});
  return (await rest()).job.path;
});
equal(saved, "census/census-2.yaml", "the job beside a job of the same name");
const mine = path.join(start, saved);
check(fs.readFileSync(mine, "utf8").startsWith("# A draft"), "the job was saved");
fs.appendFileSync(mine, "# by somebody else\n");
await page.fill("#model-k", "4");
await page.keyboard.press("Tab");
await calm(page);
await page.click("#save");
await page.waitForFunction(() => /changed by somebody else/.test(document.querySelector("#banner").textContent));
fs.rmSync(mine);
await page.click("#save");
await calm(page);
check(/k: 4/.test(fs.readFileSync(mine, "utf8")), "a job file that was removed is written again");

// two tabs show the same job
const second = await newPage();
await second.goto(server.origin);
await second.waitForSelector(".icicle .handle");
await second.fill("#model-k", "7");
await second.keyboard.press("Tab");
await page.waitForFunction(() => /k: 7/.test(document.querySelector("#job-text").value));
await second.close();

// stop a run
await page.selectOption("#effort", "thorough");
await calm(page);
await page.click("#start");
await page.click("#stop");
await page.waitForSelector(".runs tbody tr:has-text('stopped')", { timeout: 60000 });

// text of the user stays while the job changes; with line breaks of Windows the text has nothing to apply
await page.fill("#job-text", "# mine\n");
await page.selectOption("#effort", "normal");
await page.waitForFunction(() => /has changed/.test(document.querySelector("#job [role=status]:not([hidden])")?.textContent));
equal(await jobText(page), "# mine\n", "the text that is being edited");
await page.click("#job button:has-text('Discard')");
check(/effort: normal/.test(await jobText(page)), "the text of the job after Discard");
const unix = await jobText(page);
await page.evaluate((text) => fetch("/api/job", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ text }) }),
  unix.replaceAll("\n", "\r\n"));
await calm(page);
check(await page.isHidden("#apply"), "a text with line breaks of Windows is shown as it is");
await page.fill("#job-text", `# first\n${unix}`);
await page.click("#apply");
await page.waitForFunction(() => document.querySelector("#apply").hidden);
equal(await page.evaluate(async () => (await (await fetch("/api/state")).json()).job.text), `# first\n${unix}`.replaceAll("\n", "\r\n"), "line breaks stay");
await page.click("#undo");
await page.click("#undo");
await calm(page);

// text of the user: an error is shown, and the old job comes back with undo
await page.fill("#job-text", "model: {k: nothing}\n");
await page.click("#apply");
await page.waitForFunction(() => document.querySelector("#problem").textContent.length > 0);
await page.evaluate(() => scrollTo(0, 900));
const problemAt = await page.locator("#problem").boundingBox();
check(problemAt.y >= 0 && problemAt.y < 200, "the problem of the job is in view wherever the page is scrolled to");
await page.click("#undo");
await calm(page);
equal(await page.textContent("#problem"), "", "the problem is gone");

// ---- a killed server ----
server.child.kill("SIGKILL");
await page.waitForFunction(() => /does not answer/.test(document.querySelector("#banner").textContent), null, { timeout: 20000 });
let revived = await serve(start, "census/census.yaml", "--port", String(server.port));
await page.waitForFunction(() => /does not know this page/.test(document.querySelector("#banner").textContent), null, { timeout: 20000 });
const other = await newPage();
await other.setContent(`<a href="${revived.address}">a link elsewhere</a>`); // the cookie is for the page alone
await other.click("a");
await other.waitForURL(`${revived.origin}/`);
await page.waitForFunction(() => document.querySelector("#banner").hidden && /census/.test(document.querySelector("#what").textContent), null, { timeout: 20000 });
// what was not saved is still on the page when the server is killed
await page.waitForSelector('article[data-column="residence"] .icicle .handle');
await page.fill("#model-k", "9");
await page.keyboard.press("Tab");
await calm(page);
const unsaved = await jobText(page);
revived.child.kill("SIGKILL");
await page.waitForFunction(() => /does not answer/.test(document.querySelector("#banner").textContent), null, { timeout: 20000 });
revived = await serve(start, "census/census.yaml", "--port", String(server.port));
await other.goto(revived.address);
await page.waitForFunction(() => document.querySelector("#banner").hidden && /without your changes/.test(document.querySelector("#job-body").textContent), null, { timeout: 20000 });
equal(await jobText(page), unsaved, "the text of the job before the server was killed");
await page.click("#apply");
await calm(page);
equal(await jobText(page), unsaved, "the text is the job again");
await page.click("#undo");
await calm(page);
// a server with another table, whose hierarchies have the same revision
fs.writeFileSync(path.join(start, "colours.csv"), "colour,grade\n" + "red,1\ngreen,2\nblue,1\n".repeat(50));
for (const [file, column] of [["colours.csv", "colour"], ["census/census.yaml", "residence"]]) {
  revived.child.kill("SIGKILL");
  await page.waitForFunction(() => /does not answer/.test(document.querySelector("#banner").textContent), null, { timeout: 20000 });
  revived = await serve(start, file, "--port", String(server.port));
  await other.goto(revived.address);
  await page.waitForSelector(`article[data-column="${column}"] .icicle .handle`, { timeout: 20000 });
  await calm(page);
}
await other.close();

// ---- the census: a random walk with the pointer agrees with the command ----
await page.waitForSelector('article[data-column="residence"] .icicle .handle');
await calm(page);
for (const [column, share, from, to] of [["residence", 0.7, 1, 4], ["age", 0.5, 0, 3], ["birthplace", 0.95, 1, 3], ["education", 0.4, 0, 1]]) {
  const seen = await drag(column, share, from, to);
  equal(await number(page), price(await jobText(page), path.join(start, "census"))[0], `${column} dragged`);
  equal(seen.at(-1), await number(page), `the number while ${column} is dragged`);
}

// values too narrow to be drawn one by one are a band: every row of the hierarchy is filled
const holes = await page.locator('article[data-column="residence"] .icicle').evaluate((icicle) => {
  icicle.scrollIntoView();
  const { left, top, width, height } = icicle.getBoundingClientRect();
  const places = Array.from({ length: 60 }, (_, i) => left + ((i + 0.5) / 60) * width);
  return places.filter((x) => ![0, 1, 2, 3].some((by) => document.elementFromPoint(x + by / 2, top + height - 8)?.matches(".cell"))).length;
});
equal(holes, 0, "the lowest level has no holes");

// every label stays inside its node
const spilled = await page.locator(".icicle").evaluateAll((all) => all.flatMap((icicle) => {
  const nodes = [...icicle.querySelectorAll("rect.cell")].map((one) => one.getBoundingClientRect());
  return [...icicle.querySelectorAll("text")].filter((text) => {
    const box = text.getBoundingClientRect();
    return !nodes.some((node) => box.left >= node.left && box.right <= node.right + 1 && box.top >= node.top - 1 && box.bottom <= node.bottom + 1);
  }).map((text) => text.textContent);
}));
equal(spilled.join(), "", "labels inside their nodes");

// a finger scrolls the page, and moves the boundary only where it touches the line
const touches = await context.newCDPSession(page);
async function swipe(x, from, to) {
  const touch = (type, y) => touches.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y }] });
  await touch("touchStart", from);
  for (let i = 1; i <= 6; i++) await touch("touchMove", from + (i * (to - from)) / 6);
  await touch("touchEnd");
  await calm(page);
}
const fingers = await jobText(page);
await page.locator('article[data-column="sex"] .icicle').evaluate((icicle) => icicle.scrollIntoView({ block: "center" }));
let at = await box("sex");
await swipe(at.x + 0.2 * at.width, at.y + 52, at.y + 80);
equal(await jobText(page), fingers, "a finger on a node leaves the boundary");
await page.locator('article[data-column="sex"] .icicle').evaluate((icicle) => icicle.scrollIntoView({ block: "center" }));
at = await box("sex");
await swipe(at.x + 0.2 * at.width, at.y + 4, at.y + 50);
check(/sex: *\{[^#\n]*boundary: /.test(await jobText(page)), "a finger on the line moves it");
await page.click("#undo");
await calm(page);

// the other line, with the keyboard: the hierarchy is drawn anew, and the focus stays
await page.check('input[name="line"][value="finest"]');
await page.focus('article[data-column="education"] .handle');
await page.keyboard.press("ArrowUp");
await calm(page);
check(/education: *\{[^#\n]*finest: /.test(await jobText(page)), "an arrow key moves the finest line");
equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Finest values of education", "the focus stays on the line");
await page.keyboard.press("Control+z");
await calm(page);
// it stops at the boundary, which must not lie below it
await page.selectOption('select[aria-label="boundary of sex"]', { label: "the values" });
await calm(page);
await drag("sex", 0.3, 1, 1, 0);
equal(await page.textContent("#problem"), "", "the finest line stays below the boundary");
await page.click("#undo");
await calm(page);
await page.check('input[name="line"][value="boundary"]');

// a column that is kept, and how it is recoded
await page.fill("#job-text", (await jobText(page)).replace(/income: *\{.*\}/, "income: {role: keep, round: 500, top: 4000}"));
await page.click("#apply");
await calm(page);
check(/round 500, top 4000/.test(await page.textContent(".columns tbody")), "how a kept column is recoded");
await page.click("#undo");
await calm(page);

// ---- the keyboard alone ----
await page.reload();
await page.waitForSelector('article[data-column="residence"] .icicle .handle');
await calm(page);
await tabTo(page, "the boundary of marital-status", () => document.activeElement?.getAttribute("aria-label") === "Boundary of marital-status");
const spoken = await page.evaluate(() => document.activeElement.getAttribute("aria-valuetext"));
await page.keyboard.press("ArrowDown");
await calm(page);
check(await page.evaluate(() => document.activeElement.getAttribute("aria-valuetext")) !== spoken, "the slider tells its new value");
check(/marital-status: \{[^#\n]*boundary: /.test(await jobText(page)), "the arrow key moves the boundary");
equal(await number(page), price(await jobText(page), path.join(start, "census"))[0], "the number after a key");
await page.keyboard.press("ArrowRight");
await page.keyboard.press("ArrowDown");
await calm(page);
equal(await number(page), price(await jobText(page), path.join(start, "census"))[0], "the number after another piece");
await page.keyboard.press("Control+z");
await page.keyboard.press("Control+z");
await calm(page);
check(!/marital-status: \{[^#\n]*boundary: /.test(await jobText(page)), "Ctrl+Z");
await tabTo(page, "Run", () => document.activeElement?.id === "start");
await page.keyboard.press("Enter");
await page.waitForSelector("#download-release-run", { timeout: 120000 });
check(fs.existsSync(path.join(start, "census/census-masked.csv")), "the output of the job is written");
await page.keyboard.press("Control+s");
await page.waitForFunction(() => document.querySelector("#save").disabled);
equal(fs.readFileSync(path.join(start, "census/census.yaml"), "utf8"), await jobText(page), "the job is saved");
equal(spawnSync(command, ["check", "census-masked.csv", "census.yaml"], { cwd: path.join(start, "census") }).status, 0, "check of the saved job says yes");

// ---- the whole way with the keyboard alone, from the first page to a release that `check` accepts ----
const typed = path.join(work, "typed");
fs.mkdirSync(typed);
fs.writeFileSync(path.join(typed, "patients.csv"), patients);
const typing = await serve(typed);
const hands = await newPage();
await hands.goto(typing.address);
await hands.waitForSelector("#files button");
const press = async (...keys) => {
  for (const key of keys) await hands.keyboard.press(key);
  await calm(hands);
};
await tabTo(hands, "the file", () => document.activeElement?.textContent === "patients.csv");
await hands.keyboard.press("Enter");
await hands.waitForSelector(".icicle .handle");
await calm(hands);
await tabTo(hands, "the role of insurance", () => document.activeElement?.getAttribute("aria-label") === "role of insurance");
await press("ArrowDown");
check(/insurance: \{role: sensitive/.test(await jobText(hands)), "an arrow key corrects a role");
equal(await hands.evaluate(() => document.activeElement.getAttribute("aria-label")), "role of insurance", "the focus stays on the role");
await tabTo(hands, "the boundary of birth_date", () => document.activeElement?.getAttribute("aria-label") === "Boundary of birth_date");
await press("ArrowDown", "ArrowRight", "ArrowDown");
check(/birth_date: \{[^#\n]*boundary: /.test(await jobText(hands)), "arrow keys draw the boundary");
equal(await number(hands), price(await jobText(hands), typed)[0], "the number after arrow keys");
await tabTo(hands, "the effort", () => document.activeElement?.id === "effort");
await press("ArrowUp");
check(/effort: quick/.test(await jobText(hands)), "an arrow key sets the effort");
await tabTo(hands, "Run", () => document.activeElement?.id === "start");
await hands.keyboard.press("Enter");
await hands.waitForSelector("#download-release-run", { timeout: 120000 });
for (const [what, name] of [["release-run", "typed.csv"], ["job", "typed.yaml"]]) {
  const found = hands.waitForEvent("download", { timeout: 60000 });
  await tabTo(hands, `the download of ${name}`, (id) => document.activeElement?.id === id, `download-${what}`);
  await hands.keyboard.press("Enter");
  await (await found).saveAs(path.join(typed, name));
}
equal(spawnSync(command, ["check", "typed.csv", "typed.yaml"], { cwd: typed }).status, 0, "check of the release made with the keyboard says yes");
await hands.close();
typing.child.kill("SIGTERM");

// ---- narrow and dark ----
for (const [width, colorScheme] of [[420, "light"], [420, "dark"], [1280, "dark"]]) {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme });
  await page.waitForTimeout(300);
  await noFaults(page, `${width} pixels, ${colorScheme}`);
  equal(await page.isVisible("#pin"), width === 420, `the number stays in view at ${width} pixels`);
  if (width === 420) equal((await page.textContent("#pin")).split(" ")[0], await page.textContent("#suppressed"), "the number that stays in view");
}
equal(strange.join(), "", "no request leaves the page");
equal(complaints.join("; "), "", "no errors in the console");
page.on("dialog", (dialog) => dialog.accept());
await page.click("#quit");
equal((await revived.ended)[0], 0, "the page stops the server");
await browser.close();
finish(90);

// latency.mjs - the time from a move of the pointer to the updated number, measured in the browser,
// while boundaries of a census are dragged. Run it by hand:
//   ROWS=1000000 tests/browser/page.sh build/hedgerow . build-test latency
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { browse, check, command, finish, serve, work } from "./start.mjs";

const rows = Number(process.env.ROWS ?? 100000), limit = Number(process.env.LIMIT ?? 100);
fs.mkdirSync(work, { recursive: true });
const folder = process.env.CENSUS ?? work;
if (!process.env.CENSUS)
  execFileSync(command, ["generate", "census", "--rows", String(rows), "-o", work], { stdio: "ignore" });
const server = await serve(folder, "census.yaml");
const { browser, newPage } = await browse();
const page = await newPage();
const begin = performance.now();
await page.goto(server.address);
await page.waitForSelector('article[data-column="residence"] .icicle .handle', { timeout: 300000 });
console.log(`opened and counted after ${((performance.now() - begin) / 1000).toFixed(1)} s`);
const all = [];
for (const column of ["residence", "birthplace", "age", "education", "marital-status", "sex"]) {
  const icicle = page.locator(`article[data-column="${column}"] .icicle`);
  await icicle.scrollIntoViewIfNeeded();
  const box = await icicle.boundingBox();
  await page.evaluate(() => performance.clearMeasures("drag"));
  for (const share of [0.2, 0.5, 0.8]) {
    const x = box.x + share * box.width;
    await page.mouse.move(x, box.y + 8);
    await page.mouse.down();
    await page.waitForTimeout(1500); // the boundary is grabbed
    await page.evaluate(() => performance.clearMeasures("drag"));
    for (let y = 0; y < box.height; y += 10) {
      await page.mouse.move(x, box.y + y);
      await page.waitForTimeout(30);
    }
    for (let y = box.height - 1; y > 0; y -= 15) {
      await page.mouse.move(x, box.y + y);
      await page.waitForTimeout(30);
    }
    const times = await page.evaluate(() => performance.getEntriesByName("drag").map((one) => one.duration));
    all.push(...times);
    await page.keyboard.press("Escape");
    await page.mouse.move(x, box.y + 8);
    await page.mouse.up();
    await page.waitForTimeout(800);
  }
}
all.sort((a, b) => a - b);
const at = (share) => all[Math.floor(share * (all.length - 1))]?.toFixed(1);
console.log(`${all.length} moves: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, slowest ${at(1)} ms`);
check(all.length >= 30, "moves were measured");
check(all[Math.floor(0.95 * (all.length - 1))] <= limit, `95 % of the moves within ${limit} ms`);
server.child.kill("SIGTERM");
await browser.close();
finish(2);

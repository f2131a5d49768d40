// attacks.mjs - what the server of the page must refuse, and go on: wrong tokens, other hosts,
// requests of other sites, paths out of the start folder, large uploads, many and slow connections.
import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { check, equal, finish, serve, sleep, work } from "./start.mjs";

const start = path.join(work, "start"), outside = path.join(work, "outside");
fs.mkdirSync(start, { recursive: true });
fs.mkdirSync(outside, { recursive: true });
fs.writeFileSync(path.join(outside, "secret.csv"), "a,b\n1,2\n");
fs.writeFileSync(path.join(start, "in.csv"), "age,sex,d\n" + "30,F,x\n31,M,y\n".repeat(20));
fs.symlinkSync(path.join(outside, "secret.csv"), path.join(start, "link.csv"));
fs.symlinkSync(outside, path.join(start, "folder"));
fs.symlinkSync(path.join(outside, "new.csv"), path.join(start, "dangling.csv"));

const server = await serve(start, "--port", "0");

/** One request; headers that are null are left out. */
function ask(method, target, headers = {}, body = undefined, port = server.port) {
  const all = { Host: `127.0.0.1:${server.port}`, ...headers };
  for (const name of Object.keys(all)) if (all[name] === null) delete all[name];
  return new Promise((resolve) => {
    const request = http.request({ host: "127.0.0.1", port, method, path: target, headers: all, setHost: false, agent: false }, (answer) => {
      let text = "";
      answer.on("data", (part) => (text += part));
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    request.on("error", (error) => resolve({ status: 0, headers: {}, text: error.code ?? "" }));
    if (body !== undefined) request.write(body);
    request.end();
  });
}

const token = new URL(server.address).searchParams.get("token");
equal(token.length, 64, "the token has 256 bits");

// ---- tokens ----
equal((await ask("GET", "/")).status, 401, "no token");
equal((await ask("GET", "/api/state")).status, 401, "no token for the state");
equal((await ask("GET", "/main.js")).status, 401, "no token for a script");
equal((await ask("GET", `/?token=${"0".repeat(64)}`)).status, 403, "a wrong token");
equal((await ask("GET", "/?token=")).status, 403, "an empty token");
equal((await ask("GET", `/?token=${token}`, { Host: `evil.example:${server.port}` })).status, 403, "another Host");
equal((await ask("GET", `/?token=${token}`, { Host: "127.0.0.1" })).status, 403, "a Host without the port");
check((await ask("GET", `/?token=${token}`, { Host: null })).status !== 303, "no Host");
const admitted = await ask("GET", `/?token=${token}`);
equal(admitted.status, 303, "the token");
equal(admitted.headers.location, "/", "the address without the token");
const cookieLine = admitted.headers["set-cookie"][0];
check(/HttpOnly/.test(cookieLine) && /SameSite=Strict/.test(cookieLine), "the cookie is HttpOnly and SameSite=Strict");
equal((await ask("GET", `/?token=${token}`)).status, 403, "the token a second time");
const Cookie = cookieLine.split(";")[0];
check(!Cookie.includes(token), "the cookie is another secret than the token");
equal((await ask("GET", "/api/state", { Cookie: Cookie.slice(0, -1) })).status, 401, "a cookie that is cut");
equal((await ask("GET", "/api/state", { Cookie: `${Cookie}0` })).status, 401, "a cookie that is longer");
equal((await ask("GET", "/api/state", { Cookie })).status, 200, "the cookie");
equal((await ask("GET", "/api/state", { Cookie: `other=1; ${Cookie}; more=2` })).status, 200, "the cookie among others");

// ---- headers of every reply ----
for (const target of ["/", "/main.js", "/api/state", "/nowhere"]) {
  const { headers } = await ask("GET", target, { Cookie });
  const policy = headers["content-security-policy"] ?? "";
  check(policy.includes("default-src 'none'") && !policy.includes("unsafe"), `policy of ${target}`);
  equal(headers["x-content-type-options"], "nosniff", `nosniff of ${target}`);
  equal(headers["cache-control"], "no-store", `no-store of ${target}`);
  equal(headers["access-control-allow-origin"], undefined, `no CORS for ${target}`);
}

// ---- other sites ----
const Origin = server.origin, json = { "Content-Type": "application/json" };
const post = (target, body, headers = {}) => ask("POST", target, { Cookie, Origin, ...json, ...headers }, typeof body === "string" ? body : JSON.stringify(body));
equal((await post("/api/undo", {}, { Origin: "https://evil.example" })).status, 403, "a post of another site");
equal((await post("/api/undo", {}, { Origin: "null" })).status, 403, "a post of a sandbox");
equal((await post("/api/undo", {}, { Origin: null })).status, 403, "a post without Origin");
equal((await post("/api/undo", {}, { Origin: `http://127.0.0.1:${server.port + 1}` })).status, 403, "a post of another port");
equal((await post("/api/undo", {}, { Origin: `http://localhost:${server.port}` })).status, 403, "an Origin that is not the Host");
equal((await post("/api/undo", {}, { "Sec-Fetch-Site": "cross-site" })).status, 403, "a request that the browser calls cross-site");
equal((await post("/api/edit", "{}", { "Content-Type": "text/plain" })).status, 415, "a form's content type");
equal((await ask("GET", "/api/state", { Cookie, Origin: "https://evil.example" })).status, 403, "a get of another site");
equal((await ask("OPTIONS", "/api/edit", { Cookie, Origin: "https://evil.example" })).status, 501, "a preflight");
equal((await ask("GET", "/api/undo", { Cookie })).status, 405, "an action by GET");
equal((await post("/api/edit", "{", {})).status, 400, "JSON that is cut");
equal((await post("/api/edit", "[1]")).status, 400, "JSON that is no object");
equal((await post("/api/edit", `${"[".repeat(100000)}`)).status, 400, "JSON that is deep");

// ---- paths ----
for (const address of ["../outside/secret.csv", "/etc/passwd", path.join(outside, "secret.csv"), "link.csv", "folder/secret.csv",
  "./folder/../../outside/secret.csv", "sqlite:../outside/x.db?table=t", "sqlite:/etc/passwd?table=t", "dangling.csv", "-", "file:///etc/passwd"])
  equal((await post("/api/open", { address })).status, 422, `open ${JSON.stringify(address)}`);
for (const [address, why] of [["none.csv", /cannot read none.csv/], [".", /a folder/], ["sqlite:none.db?table=t", /cannot read/]])
  check(why.test((await post("/api/open", { address })).text), `open ${address}`);
equal((await post("/api/open", { address: "in.csv\u0000.yaml" })).status, 400, "a name with a NUL");
for (const folder of ["..", "folder", "../outside", "./.."])
  equal((await post("/api/files", { folder })).status, 422, `list ${folder}`);
for (const target of ["/../../etc/passwd", "/..%2f..%2fetc/passwd", "/page/../main.c", "//etc/passwd", "/main.js/..", "/%2e%2e/"])
  check([400, 404].includes((await ask("GET", target, { Cookie })).status), `page ${target}`);

async function state() {
  return JSON.parse((await ask("GET", "/api/state", { Cookie })).text);
}
async function settle() {
  for (let i = 0; i < 200; i++) {
    const now = await state();
    if (!now.quick && !now.slow) return now;
    await sleep(50);
  }
  throw new Error("the server is still busy");
}
equal((await post("/api/open", { address: "in.csv" })).status, 200, "open in.csv");
const opened = await settle();
check(opened.job && opened.price, "the table was counted");
const attempts = [
  ["input", "../outside/secret.csv"], ["output", "../outside/out.csv"], ["output", "/tmp/hedgerow-attack.csv"], ["output", "dangling.csv"],
  ["output", "folder/out.csv"], ["trace", "../outside/trace.csv"], ["report", ["../outside/report.json"]], ["resolved", "../outside/x.yaml"], ["output", "-"],
];
for (const [key, value] of attempts) {
  await post("/api/edit", { edits: [{ path: [key], value }] });
  await settle();
  await post("/api/run", {});
  const now = await settle();
  check(now.problem || now.runs[0]?.facts.error, `the job with ${key}: ${value} is refused`);
  await post("/api/undo", {});
  await settle();
}
check((await state()).server !== server.child.pid, "a server is not told by the number of its process, which recurs");
const text = (await state()).job.text;
for (const tree of ["../outside/secret.csv", "{parents: ../outside/secret.csv}", "[{prefix: [1]}, {parents: ../outside/secret.csv}]",
  "flat, hierarchy: ../outside/secret.csv"]) {
  await post("/api/job", { text: text.replace(/sex: \{.*\}/, `sex: {role: quasi, hierarchy: ${tree}}`) });
  const now = await settle();
  check(/outside|start folder|twice/.test(now.problem), `hierarchy ${tree}: ${now.problem}`);
}
await post("/api/job", { text });
equal((await post("/api/save", { path: "../outside/job.yaml" })).status, 422, "save outside");
equal((await post("/api/save", { path: "folder/job.yaml" })).status, 422, "save through a link");
equal(fs.readdirSync(outside).join(), "secret.csv", "nothing was written outside");
check(!fs.existsSync("/tmp/hedgerow-attack.csv"), "nothing was written to /tmp");

// a short job that says something without end: a1 names a0 nine times, a2 names a1 nine times ...
const bomb = Array.from({ length: 14 }, (_, i) => `a${i}: &a${i} [${Array(9).fill(i ? `*a${i - 1}` : "x").join(", ")}]`).join("\n");
const begun = Date.now();
equal((await post("/api/job", { text: `${bomb}\n${text}` })).status, 200, "a job of aliases is a text");
check(/too large|unknown|not a key|no key/.test((await settle()).problem), `a job of aliases: ${(await state()).problem}`);
equal((await post("/api/edit", { edits: [{ path: ["seed"], value: 3 }] })).status, 200, "an edit of a job of aliases");
await settle();
check(Date.now() - begun < 20000, `a job of aliases takes ${Date.now() - begun} ms`);
await post("/api/job", { text });
await settle();

// ---- runs keep their files, whatever is dropped ----
await post("/api/run", {});
const ran = (await settle()).runs[0].id;
const released = (await ask("GET", `/download/release?run=${ran}`, { Cookie })).text;
check(released.startsWith("age,"), "a release");
for (const name of [`release-${ran}.csv`, `.release-${ran}.csv`]) {
  await post("/api/drop", { name, size: 4 });
  await ask("POST", "/api/slice?offset=0", { Cookie, Origin, "Content-Type": "application/octet-stream" }, "a\n1\n");
}
equal((await ask("GET", `/download/release?run=${ran}`, { Cookie })).text, released, "a dropped file takes no place of a release");
equal((await ask("GET", "/download/release?run=4294967295", { Cookie })).status, 404, "a run that there is not");

// ---- many actions at once: what waits must not use what was replaced ----
const actions = [["/api/role", { column: "age", role: "drop" }], ["/api/undo", {}], ["/api/suggest", { share: 0.5 }], ["/api/redo", {}],
  ["/api/edit", { edits: [{ path: ["model", "k"], value: 3 }] }], ["/api/drag", { column: "sex", nodes: [0] }], ["/api/open", { address: "in.csv" }],
  ["/api/suggest", { share: 0 }], ["/api/role", { column: "sex", role: "keep" }], ["/api/drag", { column: "age", nodes: [-1, 1e15, "x", null] }],
  ["/api/run", {}], ["/api/edit", { edits: [{ path: ["attributes", "sex", "finest"], value: { level: 1 } }] }], ["/api/stop", {}]];
let next = 7;
for (let round = 0; round < 40; round++)
  await Promise.all([1, 2, 3, 4].map(() => post(...actions[(next = (next * 5 + 3) % 8191) % actions.length])));
await settle();
for (const nodes of [[-1], [1e15], ["x"], [null], "x", {}])
  check((await post("/api/drag", { column: "sex", nodes })).status !== 0, "a drag to no node");
equal((await post("/api/open", { address: "in.csv" })).status, 200, "open in.csv once more");
check((await settle()).price, "the table is counted after all that");

// ---- uploads ----
equal((await post("/api/drop", { name: "big.csv", size: 2 ** 31 })).status, 422, "2 GB announced");
const big = await ask("POST", "/api/slice?offset=0", { Cookie, Origin, "Content-Type": "application/octet-stream", "Content-Length": 2 ** 31 });
check([0, 413].includes(big.status), `2 GB in one slice: ${big.status}`);
for (const [name, stored] of [["../..", "table.csv"], ["lock", "table.csv"], [".release-1.csv", "table.csv"], ["a\n\"b:c?.csv", "a__b_c_.csv"],
  [`${"é".repeat(90)}.csv`, `${"é".repeat(48)}.csv`], ["Müller (1).csv", "Müller (1).csv"]])
  equal(JSON.parse((await post("/api/drop", { name, size: 1 })).text).name, stored, "the name of a dropped file");
equal((await post("/api/drop", { name: "../../x.csv", size: 8 })).status, 200, "a name with a path");
equal((await ask("POST", "/api/slice?offset=4", { Cookie, Origin, "Content-Type": "application/octet-stream" }, "late")).status, 422, "a slice that is not the next");
equal((await ask("POST", "/api/slice?offset=0", { Cookie, Origin, "Content-Type": "application/octet-stream" }, "123456789")).status, 422, "more than was announced");
equal((await post("/api/dropped", {})).status, 422, "a file that has not come whole");
check([0, 400, 413, 431].includes((await ask("GET", "/api/state", { Cookie, "X-Large": "y".repeat(60000) })).status), "large headers");
check([0, 400, 413].includes((await ask("POST", "/api/edit", { Cookie, Origin, ...json }, Buffer.alloc(3 << 20, "x"))).status), "a body of 3 MB");

// ---- connections ----
// Not all connect at once: the kernel lets most of them try again after one, three or seven seconds.
const open = [];
let connected = 0;
for (let i = 0; i < 500; i++) {
  const socket = net.connect(server.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.alive = false;
  socket.on("connect", () => {
    socket.alive = true;
    connected++;
  });
  socket.on("close", () => (socket.alive = false));
  open.push(socket);
}
await sleep(1500);
equal((await ask("GET", "/api/state", { Cookie })).status, 200, "an answer among 500 connections");
// A busy machine takes longer; after ten seconds all would be closed because they are silent.
for (let i = 0; i < 65 && open.filter((socket) => socket.alive).length > 140; i++) await sleep(100);
check(open.filter((socket) => socket.alive).length <= 140, `most of 500 silent connections are closed: ${open.filter((one) => one.alive).length} stay`);
check(connected > 140, `more than the limit had connected: ${connected}`);
open.forEach((socket) => socket.destroy());

const slow = [];
for (let i = 0; i < 20; i++) {
  const socket = net.connect(server.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.alive = true;
  socket.on("close", () => (socket.alive = false));
  socket.write("GET / HTTP/1.1\r\nX-");
  slow.push(socket);
}
for (let second = 0; second < 14; second++) {
  slow.forEach((socket) => socket.alive && socket.write("a"));
  await sleep(1000);
}
equal(slow.filter((socket) => socket.alive).length, 0, "clients that send a byte a second are closed");
for (const bytes of ["\x00\x01\x02\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "POST /api/edit HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
  "POST /api/edit HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"]) {
  const socket = net.connect(server.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(bytes);
  await sleep(100);
  socket.destroy();
}
equal((await ask("GET", "/api/state", { Cookie })).status, 200, "the server goes on");

// ---- nothing in the log, nothing left behind ----
check(!server.err.includes(token) && !server.err.includes(Cookie.split("=")[1]), "no secret in the log");
const family = fs.readFileSync(`/proc/${server.child.pid}/net/tcp`, "utf8").split("\n").filter((line) => line.includes(`:${server.port.toString(16).toUpperCase().padStart(4, "0")} 00000000:0000 0A`));
check(family.length === 1 && family[0].includes("0100007F:"), "the server listens on 127.0.0.1 alone");
const temporary = fs.readdirSync(process.env.TMPDIR ?? "/tmp").filter((name) => name.startsWith("hedgerow-page-"));
equal(fs.statSync(path.join(process.env.TMPDIR ?? "/tmp", temporary[0])).mode & 0o777, 0o700, "the private folder is private");
equal((await post("/api/quit", {})).status, 200, "stop");
const [status] = await server.ended;
equal(status, 0, "exit status after stop");
equal(fs.readdirSync(process.env.TMPDIR ?? "/tmp").filter((name) => name.startsWith("hedgerow-page-")).length, 0, "the private folder is removed");

const idle = await serve(start, "--idle", "0.02");
const [ended] = await idle.ended;
equal(ended, 0, "the idle time ends the server");
const told = await serve(start);
const linked = await ask("GET", new URL(told.address).search.replace(/^/, "/"), { Host: `127.0.0.1:${told.port}`, "Sec-Fetch-Site": "cross-site" }, undefined, told.port);
check(linked.status === 200 && /refresh/.test(linked.text) && !linked.text.includes("token") && linked.headers["set-cookie"], "the token in a link elsewhere");
told.child.kill("SIGTERM");
equal((await told.ended)[0], 0, "a signal ends the server");
finish(119);

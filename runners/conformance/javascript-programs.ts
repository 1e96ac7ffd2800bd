import type { InProcessPrograms, Programs } from "./programs.ts";

const imports = `import { execFileSync, spawn } from "node:child_process"; import fs from "node:fs"; import process from "node:process";
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const write = (bytes) => { for (let rest = Buffer.from(bytes); rest.length > 0; ) try { rest = rest.subarray(fs.writeSync(1, rest)); } catch (error) { if (error.code !== "EAGAIN") throw error; } };
import { Buffer } from "node:buffer";
`;
const main = (body: string) => `${imports}export async function main() { ${body} }`;

/** The conformance programs of every language that runs JavaScript with Node's modules. */
export const javascriptPrograms: Programs = {
  wait: (seconds) => main(`console.log("begun"); await pause(${seconds * 1000}); console.log("done"); return 1;`),
  count: main("for (let n = 0; n < 10; n++) { await pause(300); console.log('𝄞' + n); }"),
  brokenText: main("for (const byte of [0xf0, 0x9d, 0x84, 0x9e]) { write([byte]); await pause(10); } write([0xff, 0x7c, 0xf0, 0x9d]);"),
  waitForChild: main(
    `const child = spawn("sleep", ["300"]); console.log(child.pid); await new Promise((done) => child.once("exit", done));`,
  ),
  printLine: (length) => main(`write("x".repeat(${length})); return "through";`),
  endless: main(`console.log("begun"); for (;;);`),
  deaf: main(`for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {}); await pause(60_000);`),
  allocate: main("const held = Array.from({ length: 390 }, () => Buffer.alloc(1 << 20, 1)); await pause(30_000); return held.length;"),
  fail: `export function main(a) { console.log("user-output"); throw new Error("user-message"); }`,
  exit: main(`console.log("last words"); process.exit(4);`),
  signal: main(`process.kill(process.pid, "SIGKILL"); await pause(60_000);`),
  malformed: main("return Symbol('x');"),
  text: (length) => main(`return "x".repeat(${length});`),
  environment: main(
    `for (const [name, value] of Object.entries(process.env)) console.log(name + "=" + value); console.log(execFileSync("env").toString());`,
  ),
  litter: main(`const mode = fs.statSync(".").mode & 0o777;
    const home = fs.realpathSync(".") === fs.realpathSync(process.env.HOME) ? "home" : "";
    console.log([fs.readdirSync(".").join(" "), fs.readdirSync("tmp").join(" "), home, mode === 0o700 ? "drwx------" : mode.toString(8)].join("|"));
    fs.writeFileSync("left.txt", ""); fs.mkdirSync("tmp/locked/inner", { recursive: true }); fs.chmodSync("tmp/locked", 0o500);`),
  hide: (mark, seconds) =>
    main(`const options = { stdio: "ignore" };
    spawn("sleep", ["${mark}"], options); spawn("sleep", ["${mark}"], { ...options, detached: true }).unref();
    spawn("env", ["-i", "setsid", "sleep", "${mark}"], { ...options, detached: true }).unref();
    spawn("env", ["-i", "setsid", "sh", "-c", "setsid sleep ${mark} &"], { ...options, detached: true, cwd: "/" }).unref(); await pause(${seconds * 1000});`),
  shell: (program) => main(`console.log(execFileSync("bash", ["-c", ${JSON.stringify(program)}]).toString());`),
  forgeForever: (folder, text, by) => {
    const thread = `const fs = require("node:fs");
      const forge = (folder) => {
        for (const entry of fs.readdirSync(folder, { withFileTypes: true })) try {
          const path = folder + "/" + entry.name;
          if (entry.isDirectory()) forge(path);
          const old = entry.isFile() ? fs.readFileSync(path, "utf8") : "";
          if (old.includes(${JSON.stringify(text)})) fs.writeFileSync(path, old.replaceAll(${JSON.stringify(text)}, ${JSON.stringify(by)}));
        } catch { /* The file is gone. */ }
      };
      setInterval(() => forge(${JSON.stringify(folder)}), 1);`;
    // In base64, so that this script itself does not contain the text.
    return `import { Worker } from "node:worker_threads"; import { Buffer } from "node:buffer";
      export async function main() {
        const worker = new Worker(Buffer.from("${Buffer.from(thread).toString("base64")}", "base64").toString(), { eval: true });
        await new Promise((done, failed) => worker.once("online", done).once("error", failed));
      }`;
  },
};

export const javascriptInProcess: InProcessPrograms = {
  forge: `export function main() { console.log('{"ok":true,"result":"forged"}'); console.log('{"idle":true}'); return "real"; }`,
  preprocess: `export async function preprocessor(event, extra) { console.log("first"); return { n: event.body.n + 1, extra, query: event.query }; }
    export function main(n, query, extra) { console.log("second"); return [n, query, extra]; }`,
  failInPreprocessor: `export function preprocessor() { throw new RangeError("bad signature"); }
    export function main() { console.log("ran"); }`,
  preprocessorError: "RangeError",
  failAfterPreprocessor: "export const preprocessor = () => ({ a: 1 }); export function main() { throw new Error('later'); }",
  waitAfterPreprocessor:
    "export const preprocessor = () => ({ a: 1 }); export const main = () => new Promise((done) => setTimeout(done, 60_000));",
  countRuns: `import process from "node:process"; import fs from "node:fs"; let count = 0;
    export function main(what) {
      if (what === "throw") throw new Error("x");
      if (what === "exit") process.exit(3);
      console.log("run", ++count);
      const found = fs.readdirSync(".");
      fs.writeFileSync(process.cwd() + "/left", "");
      return [count, process.env.NAME, found];
    }`,
};

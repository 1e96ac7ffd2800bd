/*
 * The host process of the bun runner. Every job gets its own Worker: fresh module state, globals and environment at a tenth of the cost of a new
 * process. Jobs arrive on file descriptor 4; the answer of the worker, and a line about the worker's end, are written to 3.
 */
import { readSync, writeSync } from "node:fs";

const workerUrl = new URL("./worker.mjs", import.meta.url).href;
/** The worker of the next job. In a dedicated host it is the worker of the previous job. */
let worker = start();
let rest = Buffer.alloc(0);

/** Reads the next line from the supervisor and blocks this thread until it arrives. */
function nextJob() {
  const chunks = [rest];
  const chunk = Buffer.allocUnsafe(65_536);
  for (let end = rest.indexOf(10); ; ) {
    if (end >= 0) {
      const all = Buffer.concat(chunks);
      const at = all.indexOf(10);
      rest = all.subarray(at + 1);
      return JSON.parse(all.toString("utf8", 0, at));
    }
    const length = readSync(4, chunk);
    if (length === 0) process.exit(0); // The supervisor has ended.
    const piece = Buffer.from(chunk.subarray(0, length));
    end = piece.indexOf(10);
    chunks.push(piece);
  }
}

function write(line) {
  const bytes = Buffer.from(line);
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(3, bytes, offset);
}

function say(message) {
  write(`${JSON.stringify(message)}\n`);
}

function start() {
  // The worker starts with an empty environment, because each job provides all of its variables.
  const made = new Worker(workerUrl, { env: {} });
  made.ended = new Promise((resolve) => made.addEventListener("close", ({ code }) => resolve(code)));
  made.addEventListener("error", (event) => {
    // The error was thrown outside the worker's own handlers, so only its message is known.
    event.preventDefault();
    say({ ok: false, error: { name: "Error", message: event.message } });
  });
  return made;
}

/** Resolves when the next job may begin. A worker that has answered is blocked, so the answer is sent before the worker is terminated. */
async function run(job) {
  process.chdir(job.directory);
  const current = worker;
  const answered = new Promise((resolve) => {
    const listen = ({ data }) => {
      if (data?.before === job.id) write(data.line);
      if (data?.answered !== job.id) return; // The message came from the script's own postMessage.
      current.removeEventListener("message", listen);
      write(data.line);
      resolve("answered");
    };
    current.addEventListener("message", listen);
  });
  current.postMessage(job);
  const end = await Promise.race([answered, current.ended]);
  if (end === "answered") {
    say({ idle: true });
    if (job.dedicated) return;
    current.terminate();
  }
  const code = await current.ended;
  if (end !== "answered") say({ closed: code });
  worker = start();
}

for (;;) await run(nextJob());

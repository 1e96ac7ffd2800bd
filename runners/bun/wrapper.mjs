/*
 * The waiting process of the bun runner. Every job gets a Worker of its own: fresh module state, globals and environment for a tenth of what a new
 * process costs. Jobs come on file descriptor 4; the worker answers on 3 itself, and a line from here says how the worker ended.
 */
import { readSync, writeSync } from "node:fs";

const workerUrl = new URL("./worker.mjs", import.meta.url).href;
/** Waits for the next job. In a dedicated host it is the one that did the last job. */
let worker = start();
let rest = Buffer.alloc(0);

/** The next line from the supervisor. Nothing else happens in this thread meanwhile. */
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
    if (length === 0) process.exit(0); // The supervisor is gone.
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
  // Its own, empty environment: each job brings all of its variables.
  const made = new Worker(workerUrl, { env: {} });
  made.ended = new Promise((resolve) => made.addEventListener("close", ({ code }) => resolve(code)));
  made.addEventListener("error", (event) => {
    // Thrown where the worker's own handlers do not see it: say what is known.
    event.preventDefault();
    say({ ok: false, error: { name: "Error", message: event.message } });
  });
  return made;
}

/** Resolves when the next job may come. A worker that has answered stands still: the supervisor hears of it before it is taken down. */
async function run(job) {
  process.chdir(job.directory);
  const current = worker;
  const answered = new Promise((resolve) => {
    const listen = ({ data }) => {
      if (data?.before === job.id) write(data.line);
      if (data?.answered !== job.id) return; // The script's own postMessage.
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

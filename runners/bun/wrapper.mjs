/*
 * The host process of the bun runner. Every job gets its own Worker: fresh module state, globals and environment at a tenth of the cost of a new
 * process. Jobs arrive on file descriptor 4; the answer of the worker, and a line about the worker's end, are written to 3.
 */
import { writeSync } from "node:fs";
import { nextJob } from "../shared/next-job.mjs";

const workerUrl = new URL("./worker.mjs", import.meta.url).href;
/** The worker of the next job. In a dedicated host it is the worker of the previous job. */
let worker = start();
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

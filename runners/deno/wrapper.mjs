/* The process that runs a deno script: it waits for a job on file descriptor 4 and answers on 3. */
import { failureOf, runJob } from "../shared/realm.mjs";

const commands = Deno.openSync("/dev/fd/4", { read: true });
const answers = Deno.openSync("/dev/fd/3", { write: true });
const encoder = new TextEncoder();

function answer(line) {
  const bytes = encoder.encode(line);
  for (let offset = 0; offset < bytes.length; ) offset += answers.writeSync(bytes.subarray(offset));
}

/** Reads the next line from the supervisor. It blocks the process, so that nothing left in the event loop by a finished job runs. */
function nextJob() {
  const decoder = new TextDecoder();
  const chunk = new Uint8Array(65_536);
  let text = "";
  for (;;) {
    const length = commands.readSync(chunk);
    if (length === null) Deno.exit(0); // The supervisor has ended.
    // The supervisor sends the next line only after the answer, so a newline is always the end of the input so far.
    text += decoder.decode(chunk.subarray(0, length), { stream: true });
    if (chunk[length - 1] === 10) return JSON.parse(text);
  }
}

function failed(error) {
  answer(failureOf(error));
  Deno.exit(1);
}

globalThis.addEventListener("error", (event) => {
  event.preventDefault();
  failed(event.error);
});
globalThis.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  failed(event.reason);
});

function startRun() {
  const job = nextJob();
  Deno.chdir(job.directory);
  for (const name of Object.keys(Deno.env.toObject())) if (!Object.hasOwn(job.env, name)) Deno.env.delete(name);
  for (const [name, value] of Object.entries(job.env)) Deno.env.set(name, value);
  // Not a top-level await, so that a script with an empty event loop ends the process instead of blocking it.
  runJob({ ...job, main: new URL(`file://${encodeURI(job.main)}`).href }, (text) => Deno.stdout.write(encoder.encode(text)), answer).then(
    (line) => {
      answer(line);
      if (job.dedicated) startRun();
      else nextJob(); // Blocks, so that no code of the script runs until the supervisor ends this process.
    },
  );
}

startRun();

/* The process that a nodejs script lives in: it waits for a job on file descriptor 4 and answers on 3. */
import { readSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { failureOf, runJob } from "../shared/realm.mjs";

const pause = new Int32Array(new SharedArrayBuffer(4));

/** Writes everything before it returns, so nothing is lost when the process ends right after. */
function writeAll(fd, bytes) {
  for (let offset = 0; offset < bytes.length; ) {
    try {
      offset += writeSync(fd, bytes, offset);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

const answer = (line) => writeAll(3, Buffer.from(line));

let rest = Buffer.alloc(0);

/** The next line from the supervisor. Nothing else happens in this process meanwhile: what a finished job left in the event loop stays asleep. */
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

process.on("uncaughtException", (error) => {
  // A script that listens itself wants to go on.
  if (process.listenerCount("uncaughtException") > 1) return;
  answer(failureOf(error));
  process.exit(1);
});

function begin() {
  const job = nextJob();
  process.chdir(job.directory);
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(job.env, name)) delete process.env[name];
  Object.assign(process.env, job.env);
  const path = job.main;
  process.argv.splice(1, process.argv.length, path);
  // Not awaited at the top: a script whose event loop runs empty ends the process instead of hanging it.
  runJob({ ...job, main: pathToFileURL(path).href }, (text) => process.stdout.write(text), answer).then((line) => {
    answer(line);
    if (job.dedicated) begin();
    else nextJob(); // Nothing more of the script happens: the supervisor ends this process.
  });
}

/**
 * Output is written before the call that prints it returns. The streams' own way leaves it to the event loop where a signal interrupts a write,
 * and the loop does not run any more once the script has ended.
 */
function writeAtOnce(stream, fd) {
  stream._handle?.setBlocking?.(true);
  stream._write = (chunk, encoding, done) => {
    try {
      writeAll(fd, typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk);
      done();
    } catch (error) {
      done(error);
    }
  };
  // Several chunks at a time are the same, one by one.
  stream._writev = null;
}

writeAtOnce(process.stdout, 1);
writeAtOnce(process.stderr, 2);
begin();

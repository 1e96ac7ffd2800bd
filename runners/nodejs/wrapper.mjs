/* The process that runs a nodejs script: it waits for a job on file descriptor 4 and answers on 3. */
import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { nextJob } from "../shared/next-job.mjs";
import { failureOf, runJob } from "../shared/realm.mjs";

const pause = new Int32Array(new SharedArrayBuffer(4));

/** Writes everything before it returns, so that nothing is lost if the process ends immediately afterwards. */
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

process.on("uncaughtException", (error) => {
  // A script with its own listener handles the error itself.
  if (process.listenerCount("uncaughtException") > 1) return;
  answer(failureOf(error));
  process.exit(1);
});

// Without a listener, Node replaces a reason that is not an Error with its own error.
process.on("unhandledRejection", (reason) => {
  if (process.listenerCount("unhandledRejection") > 1) return;
  if (process.listenerCount("uncaughtException") > 1) {
    process.emit("uncaughtException", reason, "unhandledRejection");
    return;
  }
  answer(failureOf(reason));
  process.exit(1);
});

function startRun() {
  const job = nextJob();
  process.chdir(job.directory);
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(job.env, name)) delete process.env[name];
  Object.assign(process.env, job.env);
  const path = job.main;
  process.argv.splice(1, process.argv.length, path);
  // Not a top-level await, so that a script with an empty event loop ends the process instead of blocking it.
  runJob({ ...job, main: pathToFileURL(path).href }, (text) => process.stdout.write(text), answer).then((line) => {
    answer(line);
    if (job.dedicated) startRun();
    else nextJob(); // Blocks, so that no code of the script runs until the supervisor ends this process.
  });
}

/**
 * Makes a stream write output before the call returns. By default a write that a signal interrupts is left to the event loop, which no longer
 * runs once the script has ended.
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
  // Without `_writev`, the stream passes several chunks to `_write` one by one.
  stream._writev = null;
}

writeAtOnce(process.stdout, 1);
writeAtOnce(process.stderr, 2);
startRun();

/* The Worker that runs a bun script: one per job, or per dedicated host. Its start delays every job, so it must be fast. */
import { failureOf, runJob } from "../shared/realm.mjs";

/**
 * Bun's own process.stdout writes in the background once a pipe is full: console.log would overtake it, and the last output would be lost. This
 * stream has written everything when it returns.
 */
function makeStream(fd) {
  // Loaded at first use, because these modules would double the start time of a worker.
  const { writeSync } = process.getBuiltinModule("node:fs");
  const { Writable } = process.getBuiltinModule("node:stream");
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const stream = new Writable({
    decodeStrings: true,
    write(chunk, _encoding, done) {
      for (let offset = 0; offset < chunk.length; ) {
        try {
          offset += writeSync(fd, chunk, offset);
        } catch (error) {
          if (error.code !== "EAGAIN") return done(error);
          Atomics.wait(pause, 0, 0, 1);
        }
      }
      done();
    },
  });
  return Object.assign(stream, { fd, isTTY: false, _type: "pipe", destroySoon: () => {} });
}

/** A proxy for a stream that is created at first use. It is assigned, because defining the property would first create Bun's stream, for 10 ms. */
function lazyStream(fd) {
  let stream;
  const forward =
    (trap) =>
    (_target, ...rest) => {
      stream ??= makeStream(fd);
      return Reflect[trap](stream, ...rest);
    };
  return new Proxy(
    {},
    {
      get: (_target, key) => forward("get")(_target, key),
      set: (_target, key, value) => forward("set")(_target, key, value),
      has: forward("has"),
      deleteProperty: forward("deleteProperty"),
      getPrototypeOf: forward("getPrototypeOf"),
      ownKeys: forward("ownKeys"),
      getOwnPropertyDescriptor: (_target, key) => {
        const descriptor = forward("getOwnPropertyDescriptor")(_target, key);
        return descriptor && { ...descriptor, configurable: true };
      },
    },
  );
}

/** Passes the job's environment to children. By default Bun.spawn passes the environment with which the whole process started. */
function withJobEnv(spawn) {
  return (first, options) =>
    Array.isArray(first)
      ? spawn(first, { ...options, env: options?.env ?? process.env })
      : spawn({ ...first, env: first?.env ?? process.env });
}

process.stdout = lazyStream(1);
process.stderr = lazyStream(2);
Bun.spawn = withJobEnv(Bun.spawn);
Bun.spawnSync = withJobEnv(Bun.spawnSync);

let current;
const postToWrapper = self.postMessage.bind(self);

function answer(line) {
  if (!current) return;
  const { id, dedicated } = current;
  current = undefined;
  if (dedicated) self.addEventListener("message", startRun, { once: true });
  postToWrapper({ answered: id, line });
  // Blocks the worker: no code of the script runs after its answer, and the wrapper does not have to wait for the worker's end.
  if (!dedicated) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error) => {
    // A script with its own listener handles the error itself.
    if (process.listenerCount(event) > 1) return;
    answer(failureOf(error));
  });
}

function startRun({ data: job }) {
  current = job;
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(job.env, name)) delete process.env[name];
  Object.assign(process.env, job.env);
  process.argv.splice(1, process.argv.length, job.main);
  const sendLine = (line) => postToWrapper({ before: job.id, line });
  runJob(job, (text) => process.stdout.write(text), sendLine).then(answer);
}

// Listens only while it waits for a job, so that a script with an empty event loop ends its worker instead of blocking it.
self.addEventListener("message", startRun, { once: true });

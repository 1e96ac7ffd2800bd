/* The Worker that a bun script lives in: one per job, or per dedicated host. What it does before the script begins costs every job its time. */
import { failureOf, runJob } from "../shared/realm.mjs";

/**
 * Bun's own process.stdout writes in the background once a pipe is full: console.log would overtake it, and its end would be lost. This one has
 * written everything when it returns.
 */
function makeStream(fd) {
  // Loaded by the first use only: together they would double the time that a worker takes to start.
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

/** Stands for a stream that is made at its first use. Assigned and not defined: defining the property would first make Bun's own, for 10 ms. */
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

/** Bun.spawn gives children the environment that the whole process began with, unless told otherwise: tell it the job's. */
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
const tellWrapper = self.postMessage.bind(self);

function answer(line) {
  if (!current) return;
  const { id, dedicated } = current;
  current = undefined;
  if (dedicated) self.addEventListener("message", begin, { once: true });
  tellWrapper({ answered: id, line });
  // Nothing of the script happens any more, so nobody has to wait until the worker has been taken down.
  if (!dedicated) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error) => {
    // A script that listens itself wants to go on.
    if (process.listenerCount(event) > 1) return;
    answer(failureOf(error));
  });
}

function begin({ data: job }) {
  current = job;
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(job.env, name)) delete process.env[name];
  Object.assign(process.env, job.env);
  process.argv.splice(1, process.argv.length, job.main);
  const tell = (line) => tellWrapper({ before: job.id, line });
  runJob(job, (text) => process.stdout.write(text), tell).then(answer);
}

// Only while a job is awaited: a script whose event loop runs empty ends its worker instead of hanging it.
self.addEventListener("message", begin, { once: true });

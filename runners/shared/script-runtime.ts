import type { Preprocessor, RunRequest } from "../protocol.ts";
import { type Conclusion, type Ending, exitError, Lines, readAnswer } from "./answers.ts";
import { baseEnv, Child, type Exit } from "./process/child.ts";
import { groupByPs, PROCESS_TAG, residentKb } from "./process/processes.ts";
import { killStrays } from "./process/strays.ts";
import { settings } from "./settings.ts";
import type { Job, Language } from "./supervise.ts";

/** The differences between bun, deno and nodejs for the supervisor. */
export interface ScriptRuntime {
  name: RunRequest["language"];
  /** The command that starts the wrapper. */
  command(): string[];
  /** Environment of the interpreter; jobs do not see it. */
  env?(child: Child): Record<string, string>;
  /** One process executes many jobs, each in its own realm (a Worker). Otherwise one process executes one job. */
  realms: boolean;
}

/** The number of hosts that wait for the next job of their key. The host unused for longest is discarded first. */
const MAX_IDLE_HOSTS = 4;
/** A host is replaced after this many jobs. */
const MAX_JOBS = 300;
/** A realm should leave nothing in memory. A host that has grown by this much since its first job is replaced. */
const MAX_GROWTH_KB = 150 * 1024;
const MEASURE_EVERY = 8;
/** The length of the end of the log that is searched for the cause of an interpreter's crash. */
const TAIL_BYTES = 8192;
/** A host or spare that waits for this long ends and returns its memory. */
const IDLE_MS = 120_000;
/** The time within which a wrapper must report that its realm has ended. */
const REST_MS = 500;

interface Host {
  child: Child;
  lines: Lines;
  key: string | undefined;
  jobs: number;
  firstKb: number;
  idleTimer: NodeJS.Timeout | undefined;
}

let jobIds = 0;

/** Runs with the same key may use one process. */
const keyOf = ({ hostKey, together, artefact, dedicated }: RunRequest) =>
  JSON.stringify([hostKey, together ? "" : artefact.sha256, dedicated]);

/** Creates a language whose scripts run inside one of svc's wrappers, in idle hosts or in spare ones. */
export function scriptLanguage(runtime: ScriptRuntime): Language {
  const idle: Host[] = [];
  let spare: Host | undefined;

  function newHost(): Host {
    const child = new Child((self) => ({ command: runtime.command(), env: runtime.env?.(self) ?? {}, answers: true, commands: true }));
    const lines = new Lines();
    if (child.answers) child.answers.onData = (chunk) => lines.push(chunk);
    const host: Host = { child, lines, key: undefined, jobs: 0, firstKb: 0, idleTimer: undefined };
    void child.exited.then(() => {
      // A job that has taken the host discards it, after it has read what the process wrote before its exit.
      if (spare === host || idle.includes(host)) discard(host);
    });
    return host;
  }

  function discard(host: Host): void {
    clearTimeout(host.idleTimer);
    const at = idle.indexOf(host);
    if (at >= 0) idle.splice(at, 1);
    if (spare === host) spare = undefined;
    host.child.dispose();
  }

  function wait(host: Host): void {
    host.idleTimer = setTimeout(() => discard(host), IDLE_MS);
    host.idleTimer.unref();
  }

  /** Takes a healthy idle host of this key, otherwise the spare, otherwise a new host. */
  function take(key: string): { host: Host; fresh: boolean } {
    for (let at = idle.findIndex((host) => host.key === key); at >= 0; at = idle.findIndex((host) => host.key === key)) {
      const [host] = idle.splice(at, 1) as [Host];
      clearTimeout(host.idleTimer);
      if (host.child.isUsable() && host.child.refreshOthers(Date.now()) === 0) return { host, fresh: false };
      discard(host);
    }
    const ready = spare;
    spare = undefined;
    clearTimeout(ready?.idleTimer);
    const host = ready?.child.isUsable() ? ready : newHost();
    if (ready && host !== ready) discard(ready);
    host.key = key;
    return { host, fresh: true };
  }

  function keep(host: Host): void {
    idle.push(host);
    wait(host);
    if (process.platform !== "linux") {
      // Only `ps` finds children that a job left on this system. It is slow, so no job waits for it.
      void groupByPs(host.child.pid).then((group) => {
        if (group.length > 1 && idle.includes(host)) discard(host);
      });
    }
    const [oldest] = idle;
    if (idle.length > MAX_IDLE_HOSTS && oldest) discard(oldest);
  }

  return {
    name: runtime.name,
    prepare() {
      if (spare && !spare.child.isUsable()) discard(spare);
      if (spare) return;
      spare = newHost();
      wait(spare);
    },
    async endOthers(request) {
      const key = keyOf(request);
      const others = idle.filter((host) => host.key !== key);
      if (others.length === 0) return;
      for (const host of others) discard(host);
      await Promise.all(others.map(({ child }) => child.exited));
      // A thread may have started one more process while its own ended.
      killStrays(0);
    },
    open(request, artefact, placeShared) {
      const reusable = runtime.realms || request.dedicated;
      const { host, fresh } = take(keyOf(request));
      return new ScriptJob({ request, artefact, placeShared, host, fresh, reusable, realms: runtime.realms, keep, discard });
    },
  };
}

interface ScriptJobOptions {
  request: RunRequest;
  artefact: string;
  placeShared(jobDirectory: string): void;
  host: Host;
  fresh: boolean;
  reusable: boolean;
  realms: boolean;
  keep(host: Host): void;
  discard(host: Host): void;
}

class ScriptJob implements Job {
  readonly child: Child;
  readonly fresh: boolean;
  readonly shared: boolean;
  readonly ended: Promise<Ending>;
  readonly #options: ScriptJobOptions;
  /** Resolves when the wrapper has reported the end of the realm, or the process has ended. */
  readonly #rest = Promise.withResolvers<void>();
  /** JSON of the arguments that the preprocessor returned. */
  preprocessed: string | undefined;
  #healthy = true;
  #tail: Buffer = Buffer.alloc(0);

  constructor(options: ScriptJobOptions) {
    const { host, request } = options;
    this.#options = options;
    this.child = host.child;
    this.fresh = options.fresh;
    this.shared = host.jobs > 0;
    const ended = Promise.withResolvers<Ending>();
    this.ended = ended.promise;
    // The frame of an answer and the text of an error are small, so a longer line can only be a result.
    host.lines.maxBytes = request.maxResultBytes + 256 * 1024;
    host.lines.onOverflow = () => ended.resolve({ kind: "tooLarge" });
    host.lines.onLine = (line) => {
      if (request.preprocessor && this.preprocessed === undefined && line.subarray(0, ARGS_START.length).equals(ARGS_START)) {
        this.preprocessed = line.toString("utf8", ARGS_START.length, line.length - 1);
        return;
      }
      const closed = realmEnd(line);
      if (closed === undefined) {
        ended.resolve({ kind: "answer", line });
        // A process without realms blocks after its answer until the next job arrives.
        if (!options.realms) this.#rest.resolve();
        return;
      }
      // The realm ended. If it had answered before, `ended` is already resolved and this changes nothing.
      if (closed !== "idle") ended.resolve({ kind: "exit", exit: { code: closed, signal: null } });
      this.#rest.resolve();
    };
    void host.child.exited.then((exit: Exit) => {
      this.#healthy = false;
      host.child.answers?.drain();
      ended.resolve({ kind: "exit", exit });
      this.#rest.resolve();
    });
  }

  startRun(): void {
    const { request, artefact, placeShared, host } = this.#options;
    host.jobs++;
    placeShared(this.child.jobDirectory);
    const job = {
      id: ++jobIds,
      directory: this.child.jobDirectory,
      main: `${artefact}/main.mjs`,
      entrypoint: request.entrypoint,
      params: request.params,
      paramTypes: request.paramTypes,
      args: request.args,
      ...(request.preprocessor && { preprocessor: toPreprocessor(request, request.preprocessor) }),
      dedicated: request.dedicated,
      env: { ...jobVariables(request.env), ...baseEnv(this.child.tag, this.child.jobDirectory) },
    };
    this.child.commands?.write(`${JSON.stringify(job)}\n`);
  }

  async settle(clean: boolean): Promise<void> {
    const { reusable, host } = this.#options;
    if (!clean || !reusable) {
      this.#healthy = false;
      this.child.kill();
      return;
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => (timer = setTimeout(resolve, REST_MS, "late")));
    if ((await Promise.race([this.#rest.promise, late])) === "late") this.#healthy = false;
    clearTimeout(timer);
    // A script that left children may have left others that cannot be found, so its host is not used again.
    if (this.child.killRelatives() > 0) this.#healthy = false;
    if (!this.#healthy) {
      this.child.kill();
      return;
    }
    if (host.jobs >= MAX_JOBS || (host.jobs % MEASURE_EVERY === 1 && this.#hasGrown())) this.#healthy = false;
  }

  #hasGrown(): boolean {
    const { host } = this.#options;
    const residentNowKb = residentKb(this.child.pid);
    host.firstKb ||= residentNowKb;
    const { memoryLimitKb } = settings();
    return residentNowKb > Math.min(host.firstKb + MAX_GROWTH_KB, memoryLimitKb ? memoryLimitKb / 2 : Number.POSITIVE_INFINITY);
  }

  onOutput(chunk: Buffer): void {
    this.#tail = chunk.length >= TAIL_BYTES ? chunk.subarray(-TAIL_BYTES) : Buffer.concat([this.#tail, chunk]).subarray(-TAIL_BYTES);
  }

  conclude(ending: Ending): Conclusion {
    const { request, artefact } = this.#options;
    if (ending.kind === "answer") return readAnswer(ending.line, { artefact, jobDirectory: this.child.jobDirectory });
    const exit = ending.kind === "exit" ? ending.exit : { code: null, signal: null };
    // Node exits with 13 when its event loop is empty; workers and deno exit with 0.
    if (exit.code === 13 || exit.code === 0) {
      const message = `The script exited before '${request.entrypoint}' returned: it ended its process, or awaits a promise that never settles.`;
      return { ok: false, error: { name: "ExitError", message, exit_code: exit.code } };
    }
    // An engine that runs out of memory writes this to the log and ends its process with a signal.
    if (exit.signal && /heap out of memory|out of memory|allocation failed/i.test(this.#tail.toString("latin1"))) {
      return { ok: false, error: { name: "MemoryError", message: "The script ran out of memory.", signal: exit.signal } };
    }
    return { ok: false, error: exitError(exit, request.entrypoint) };
  }

  async release(): Promise<void> {
    const { host, keep, discard } = this.#options;
    host.lines.onLine = () => {};
    host.lines.onOverflow = () => {};
    if (!this.#healthy || this.child.exit || !this.child.clean()) return discard(host);
    keep(host);
  }
}

function toPreprocessor({ internalUrl, job, token, maxInlineResultBytes: maxBytes }: RunRequest, { params, checks }: Preprocessor) {
  const url = `${internalUrl}/api/internal/jobs/${encodeURIComponent(job)}/check`;
  return { params, maxBytes, ...(checks && { check: { url, token } }) };
}

/** The start of the line that carries the preprocessor's arguments, which precedes the answer. */
const ARGS_START = Buffer.from('{"args":');

/** Parses the wrapper's own lines: `idle`, or the exit code of a realm that ended by itself. */
function realmEnd(line: Buffer): "idle" | number | undefined {
  if (line.length > 40 || line.subarray(0, 6).toString() === '{"ok":') return undefined;
  const text = line.toString();
  if (text === '{"idle":true}') return "idle";
  const code = /^\{"closed":(-?\d+)\}$/.exec(text)?.[1];
  return code === undefined ? undefined : Number(code);
}

/** Variables that the supervisor sets; a request cannot override them. */
const RESERVED = new Set(["PATH", "HOME", "TMPDIR", "LANG", PROCESS_TAG]);

/** Returns the request's variables without those that a job must never receive. */
export function jobVariables(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("AWS_") && !RESERVED.has(name)));
}

import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { defined } from "../../contract/defined.ts";
import { type Front, type FrontEvent, startFront } from "../front/front.ts";
import type { SignInLink } from "../front/sign-in-link.ts";
import { type StreamingFunction, type Streams, streamsOf } from "../front/streams.ts";
import { Complaint } from "../launch/complaint.mjs";
import { ensurePythonTools, goPath, type PythonTools } from "../launch/venv.ts";
import { invokeFunction } from "../seed/admin.ts";
import { bootstrap, deploy, type Outputs } from "./deploy.ts";
import { type Engine, endedRunsFile, startMinistack, stopStaleEngine } from "./ministack.ts";
import { freePort, isPortFree } from "./ports.ts";
import { containerSettings, type EngineSettings, type LocalSettings, localSettings } from "./settings.ts";
import { restoreSnapshot, type Snapshot } from "./snapshot.ts";

/** One engine with the service deployed to it and a front server in front of it: `npm run up` runs one instance, and tests run their own. */
export interface Instance {
  dir: string;
  /** The bare origin that callers use. */
  url: string;
  /** Endpoint for AWS clients. */
  endpoint: string;
  outputs: Outputs;
  engineLog: string;
  /** The file to which functions append a line for each run that has ended. */
  endedRuns: string;
  /** Resolves with one sentence when the engine ends by itself. */
  died: Promise<string>;
  /** Writes the engine's state to disk while it is running. */
  save(): Promise<void>;
  /** Stops the engine, as Ctrl-C or (with `kill`) as a power cut does; the front server stays and answers 503. */
  stopEngine(how?: "stop" | "kill"): Promise<void>;
  /** Restarts the engine on the same state and port. */
  startEngine(): Promise<void>;
  stop(): Promise<void>;
}

export type PhaseName = "install" | "engine" | "bootstrap" | "deploy";

/** Runs one phase of the start. `say` changes the text of its line, which `npm run up` shows and tests do not. */
export type InPhase = <T>(name: PhaseName, detail: string, work: (say: (detail: string) => void) => Promise<T>) => Promise<T>;

export interface InstanceOptions {
  /** The folder in which this instance stores everything. */
  dir: string;
  /** Port of the front server. Default: any free port. */
  port?: number;
  /** An engine that already runs in containers and must not be stopped here. */
  foreignEngine?: ForeignEngine;
  /** The endpoint of another Step Functions, which the functions call instead of the engine's own. */
  statesEndpoint?: string | undefined;
  /** Providers to sign in with. */
  logins?: LocalSettings["logins"];
  /** Starts from a copy of a stopped instance instead of bootstrapping and deploying; `dir` must be new. */
  snapshot?: Snapshot;
  inPhase?: InPhase;
  onRequest?: (event: FrontEvent) => void;
  /** The link with which `npm run up` opens the console. */
  signInLink?: SignInLink;
  signal?: AbortSignal;
}

/** LocalStack runs functions in separate containers. */
export interface ForeignEngine {
  endpoint: string;
  /** The URL for functions in containers. */
  endpointForFunctions: string;
  /** Resolves with one sentence when it ends. */
  died: Promise<string>;
}

/** Interpreters are fetched for the assets, and the engine fetches images of Lambda's runtimes: both the first time only. */
const FOREIGN_LIMITS = { synthMs: 900_000, deployMs: 1_800_000 };

const silently: InPhase = (_name, _detail, work) => work(() => {});

/** The stage's path on either engine; `svc` is the API's fixed id (lib/api/api.ts). */
const API_PATH = "/_aws/execute-api/svc/prod";

export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const { dir, inPhase = silently } = options;
  // A deployment to an engine that has ended would wait for its time limit.
  const lost = new AbortController();
  const signal = AbortSignal.any([lost.signal, ...(options.signal ? [options.signal] : [])]);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  // The state contains tokens and secrets. An older version may have created the folder readable.
  chmodSync(dir, 0o700);
  const engineKey = randomBytes(24).toString("base64url");
  // The engine runs CommonJS files below this folder. Without this boundary, our package.json would make them ES modules.
  writeFileSync(path.join(dir, "package.json"), "{}");
  let target: URL | undefined;
  let deployed: { endpoint: string; outputs: Outputs } | undefined;
  const streamsOfFunction = (name: StreamingFunction) =>
    streamsOf(name, () => {
      if (!deployed) throw new Error("The service is not deployed yet.");
      return { ...deployed, engineKey, endedRuns: endedRunsFile(path.join(dir, "engine")) };
    });
  const streams = { stream: streamsOfFunction("stream"), routes: streamsOfFunction("routes") };
  // The port is checked first, because nothing works without it and the check is fast.
  const front = await startFront({
    port: options.port ?? 0,
    target: () => target,
    engineKey,
    streamTargets: { stream: streams.stream.target, routes: streams.routes.target },
    ...defined({ onRequest: options.onRequest, signInLink: options.signInLink }),
  });
  let engine: Engine | undefined;
  try {
    const foreign = options.foreignEngine;
    const { tools, go } = await inPhase("install", foreign ? "Python tools" : "Python tools and Go", async (say) => {
      const tools = await ensurePythonTools(say);
      return { tools, go: foreign ? "" : await goPath(tools, say) };
    });
    signal.throwIfAborted();
    const startedMs = Date.now();
    let restored: Outputs | undefined;
    const prepare = (port: number) => {
      if (!options.snapshot) return;
      makeWorkDir(dir);
      restored = restoreSnapshot(options.snapshot, { dir, url: front.url, port });
    };
    engine = await inPhase("engine", foreign ? "LocalStack" : "MiniStack", (say) =>
      startEngine(options, { tools, engineKey, prepare, say }),
    );
    signal.throwIfAborted();
    const { endpoint, died } = engine;
    void died.then((sentence) => lost.abort(new Complaint(sentence)));
    const outputs = restored ?? (await deployTo(endpoint, { options, inPhase, signal, url: front.url, tools, go }));
    deployed = { endpoint, outputs };
    target = new URL(`${endpoint}${API_PATH}`);
    if (!foreign) void recoverJobs(endpoint, outputs, startedMs);
    const { port } = engine;
    const restart = () =>
      startMinistack({
        dir: path.join(dir, "engine"),
        port,
        tools,
        engineKey,
        statesEndpoint: options.statesEndpoint,
        ...sharedCode(options),
      });
    return assemble({ dir, front, streams, outputs, restart }, engine);
  } catch (error) {
    await engine?.stop();
    await front.close();
    throw lost.signal.aborted ? lost.signal.reason : error;
  }
}

interface Deploying {
  options: InstanceOptions;
  inPhase: InPhase;
  signal: AbortSignal;
  /** Origin of the front server. */
  url: string;
  tools: PythonTools;
  go: string;
}

async function deployTo(endpoint: string, { options, inPhase, signal, url, tools, go }: Deploying): Promise<Outputs> {
  const { dir, foreignEngine: foreign } = options;
  await inPhase("bootstrap", "cdk bootstrap", async (say) => {
    if (!(await bootstrap(endpoint, dir, signal))) say("done before");
  });
  signal.throwIfAborted();
  const baseSettings = foreign
    ? await containerSettings({ url, internalUrl: `${foreign.endpointForFunctions}${API_PATH}`, tools })
    : await settingsHere(dir, url, tools, go);
  const settings = options.logins ? { ...baseSettings, logins: options.logins } : baseSettings;
  const more = foreign ? { limits: FOREIGN_LIMITS, pythonDir: path.dirname(tools.python) } : {};
  return inPhase("deploy", "cdk deploy", async (say) => {
    const { outputs, did } = await deploy({ dir, endpoint, settings, say, signal, ...more });
    say(did);
    return outputs;
  });
}

async function settingsHere(dir: string, url: string, tools: PythonTools, go: string): Promise<EngineSettings> {
  return localSettings({ url, workDir: makeWorkDir(dir), tools, go });
}

/** The parent of the directories of running jobs, readable only by its owner. */
function makeWorkDir(dir: string): string {
  const workDir = path.join(dir, "work");
  mkdirSync(workDir, { recursive: true, mode: 0o700 });
  return workDir;
}

/** Maximum attempts of the recovery after a start. */
const RECOVERIES = 3;

/**
 * When the engine stops, running jobs, jobs in messages to a worker, and all executions of flows are lost. Housekeeping resumes all of them now,
 * instead of at the end of their leases or at the next check of a flow, which may be a day later. `startedMs` is a time before the start of the
 * engine. No caller waits for the result.
 */
async function recoverJobs(endpoint: string, outputs: Outputs, startedMs: number): Promise<void> {
  const housekeeping = outputs["HousekeepingFunction"];
  for (let tries = 0; housekeeping && tries < RECOVERIES; tries += 1) {
    try {
      await invokeFunction(endpoint, housekeeping, { stoppedMs: startedMs });
      return;
    } catch {
      // A task failed. The next attempt checks all jobs again, and later runs of housekeeping check those that are due.
    }
  }
}

interface Starting {
  tools: PythonTools;
  engineKey: string;
  /** Runs before an engine of our own starts on this port. */
  prepare: (port: number) => void;
  say: (detail: string) => void;
}

async function startEngine(options: InstanceOptions, { tools, engineKey, prepare, say }: Starting): Promise<Engine> {
  const { dir, foreignEngine, statesEndpoint } = options;
  if (foreignEngine) return borrowed(foreignEngine);
  const engineDir = path.join(dir, "engine");
  mkdirSync(engineDir, { recursive: true });
  if (await stopStaleEngine(engineDir)) say("an engine that an earlier run left behind was stopped");
  const port = await enginePort(dir);
  prepare(port);
  const engine = await startMinistack({ dir: engineDir, port, tools, engineKey, statesEndpoint, ...sharedCode(options) });
  say(`MiniStack on port ${port}`);
  return engine;
}

/** Instances of one snapshot run the same functions, and their code is removed with the snapshot. */
const sharedCode = ({ snapshot }: InstanceOptions) => (snapshot ? { functionCode: path.join(snapshot.dir, "functions") } : {});

/** The same port at every start while it is free, because the deployment contains the URLs of queues. */
async function enginePort(dir: string): Promise<number> {
  const file = path.join(dir, "engine-port");
  const before = Number(readText(file));
  if (before > 0 && (await isPortFree(before))) return before;
  const port = await freePort();
  writeFileSync(file, String(port));
  return port;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function borrowed({ endpoint, died }: ForeignEngine): Engine {
  const nothing = async () => {};
  return {
    port: Number(new URL(endpoint).port),
    endpoint,
    pid: undefined,
    logFile: "",
    died,
    save: nothing,
    stop: nothing,
    kill: nothing,
  };
}

interface Parts extends Pick<Instance, "dir" | "outputs"> {
  front: Front;
  streams: Record<StreamingFunction, Streams>;
  /** Restarts the engine on the same state and port. */
  restart: () => Promise<Engine>;
}

function assemble({ dir, front, streams, outputs, restart }: Parts, first: Engine): Instance {
  let engine: Engine | undefined = first;
  const stopEngine = async (how: "stop" | "kill" = "stop") => {
    const running = engine;
    engine = undefined;
    await running?.[how]();
  };
  return {
    dir,
    url: front.url,
    endpoint: first.endpoint,
    outputs,
    engineLog: first.logFile,
    endedRuns: endedRunsFile(path.join(dir, "engine")),
    died: first.died,
    save: async () => engine?.save(),
    stopEngine,
    async startEngine() {
      if (engine) throw new Complaint("The engine is already running. Stop it first.");
      const startedMs = Date.now();
      engine = await restart();
      void recoverJobs(first.endpoint, outputs, startedMs);
    },
    async stop() {
      await front.close();
      await Promise.all(Object.values(streams).map((each) => each.close()));
      await stopEngine();
    },
  };
}

/** Removes everything that an instance has stored. An engine that still runs on it is stopped first. */
export async function removeInstance(dir: string): Promise<void> {
  await stopStaleEngine(path.join(dir, "engine"));
  rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

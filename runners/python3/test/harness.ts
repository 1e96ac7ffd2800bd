import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { strToU8, zipSync } from "fflate";
import type { BeatReply, BeatRequest, ReportRequest, RunOutcome, RunRequest } from "../../protocol.ts";

const python = process.env["SVC_TEST_PYTHON"] ?? "python3";

/** One warm process of the runner, as the local engine has it, and the services around it. */
export interface Runner {
  run(script: Script): Promise<RunOutcome>;
  /** Sends a request as it is. */
  send(request: RunRequest): Promise<RunOutcome>;
  request(script: Script): RunRequest;
  /** What the runner printed itself, one line per invocation. */
  printed: string[];
  service: Service;
  pid: number;
  workDir: string;
  close(): Promise<void>;
}

/** A script and how it is run; everything has a default. `files` are more script files by path. */
export interface Script extends Partial<Omit<RunRequest, "artefact">> {
  code: string;
  path?: string;
  files?: Record<string, string>;
  deps?: Record<string, string>;
}

export interface Service {
  origin: string;
  beats: (BeatRequest & { job: string; authorization: string | undefined })[];
  reports: (ReportRequest & { job: string })[];
  /** Bodies of results by the last part of their URL, with their content type. */
  results: Map<string, { type: string | undefined; body: string }>;
  /** Answers beats; a number is a status without a body. Called in order of arrival. */
  onBeat: (beat: BeatRequest & { job: string }) => BeatReply | number;
  onReport: () => number;
  artefacts: Map<string, Uint8Array>;
  downloads: number;
}

export async function startRunner(environment: Record<string, string> = {}): Promise<Runner> {
  const workDir = mkdtempSync(join(tmpdir(), "svc-python3-"));
  const { service, server } = await startService();
  const child = spawn(python, [join(import.meta.dirname, "driver.py")], {
    env: {
      PATH: process.env["PATH"],
      SVC_WORK_DIR: workDir,
      AWS_ACCESS_KEY_ID: "do-not-leak",
      AWS_SECRET_ACCESS_KEY: "do-not-leak",
      ...environment,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const printed: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => printed.push(line));
  const send = lineProtocol(child, printed);
  const request = (script: Script) => makeRequest(script, service);
  return {
    run: (script) => send(request(script)),
    send,
    request,
    printed,
    service,
    pid: child.pid ?? -1,
    workDir,
    async close() {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await new Promise((done) => child.once("exit", done));
      server.closeAllConnections();
      server.close();
      rmSync(workDir, { recursive: true, force: true });
    },
  };
}

/** One request at a time, in order, as a Lambda environment gets them. */
function lineProtocol(child: ChildProcess, printed: string[]): (request: RunRequest) => Promise<RunOutcome> {
  const waiting: { resolve: (outcome: RunOutcome) => void; reject: (error: Error) => void }[] = [];
  if (!child.stdout) throw new Error("the runner has no stdout");
  createInterface({ input: child.stdout }).on("line", (line) => {
    const next = waiting.shift();
    if (!next) throw new Error(`the runner wrote to the protocol's stream: ${line}`);
    next.resolve(JSON.parse(line) as RunOutcome);
  });
  child.on("exit", () => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`the runner ended: ${printed.join("\n")}`));
  });
  return (request) =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      child.stdin?.write(`${JSON.stringify(request)}\n`);
    });
}

function makeRequest(script: Script, service: Service): RunRequest {
  const { code, path = "f/ops/hello", files = {}, deps = {}, ...overrides } = script;
  const bytes = zipSync(
    {
      "svc.json": strToU8(JSON.stringify({ entry: `scripts/${path}.py` })),
      [`scripts/${path}.py`]: strToU8(code),
      ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`scripts/${name}`, strToU8(text)])),
      ...Object.fromEntries(Object.entries(deps).map(([name, text]) => [`deps/${name}`, strToU8(text)])),
    },
    // Equal sources are one artefact, whenever they are packed: a dedicated host is kept for one.
    { mtime: "2020-01-01" },
  );
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  service.artefacts.set(sha256, bytes);
  const job = randomUUID();
  return {
    job,
    workspace: "demo",
    attempt: 1,
    nonce: "nonce-of-this-attempt",
    language: "python3",
    artefact: { key: `demo/${sha256}`, url: `${service.origin}/artefacts/${sha256}?X-Amz-Signature=secret-signature`, sha256 },
    entrypoint: "main",
    params: null,
    args: {},
    env: { WM_TOKEN: "job-token" },
    timeoutMs: 20_000,
    hostKey: "demo/u/ann/1",
    dedicated: false,
    resultUrl: `${service.origin}/results/${job}`,
    maxInlineResultBytes: 64 * 1024,
    maxResultBytes: 1024 * 1024,
    maxLogBytes: 1024 * 1024,
    internalUrl: service.origin,
    token: "job-token",
    ...overrides,
  };
}

/** Storage and internal route on one loopback port. */
async function startService(): Promise<{ service: Service; server: Server }> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const [area, id = "", , job = "", action] = (request.url ?? "").split("?")[0]?.slice(1).split("/") ?? [];
    const answer = (status: number, content: string | Uint8Array = "") => {
      response.writeHead(status, { "content-length": Buffer.byteLength(content) });
      response.end(content);
    };
    if (area === "artefacts") {
      service.downloads += 1;
      const bytes = service.artefacts.get(id);
      answer(bytes ? 200 : 404, bytes);
    } else if (area === "results") {
      service.results.set(id, { type: request.headers["content-type"], body });
      answer(200);
    } else if (action === "beat") {
      const beat = { ...(JSON.parse(body) as BeatRequest), job };
      service.beats.push({ ...beat, authorization: request.headers.authorization });
      const reply = service.onBeat(beat);
      if (typeof reply === "number") answer(reply);
      else answer(200, JSON.stringify(reply));
    } else if (action === "report") {
      service.reports.push({ ...(JSON.parse(body) as ReportRequest), job });
      answer(service.onReport());
    } else answer(404);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const service: Service = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    beats: [],
    reports: [],
    results: new Map(),
    onBeat: () => ({ go: "on", watched: false }),
    onReport: () => 200,
    artefacts: new Map(),
    downloads: 0,
  };
  return { service, server };
}

import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { strToU8, zipSync } from "fflate";
import type { RunnerManifest } from "../../manifest.ts";
import * as manifests from "../../manifests.ts";
import type { BeatReply, BeatRequest, ReportRequest, RunOutcome, RunRequest } from "../../protocol.ts";

/** A script, and what its request has that differs from the usual. `code` becomes `main.mjs`, `main.sh` or `main`. */
export interface Script extends Partial<Omit<RunRequest, "artefact">> {
  code?: string;
  files?: Record<string, string | Uint8Array>;
}

/** The service around a runner: artefacts, the internal route, uploads; and the runner itself. */
export interface Runner {
  run(script: Script): Promise<RunOutcome>;
  /** Sends a request as it is. */
  send(request: RunRequest): Promise<RunOutcome>;
  request(script: Script): RunRequest;
  beats: (BeatRequest & { job: string; authorization: string | undefined })[];
  reports: (ReportRequest & { job: string })[];
  /** Bodies of results by job id. */
  uploads: Map<string, { type: string | undefined; body: string }>;
  artefacts: Map<string, Uint8Array>;
  downloads: number;
  /** Answers a beat; a number is a status without a body. */
  onBeat: (beat: BeatRequest & { job: string }) => BeatReply | number;
  /** Answers a report with a status. */
  onReport: () => number;
  workDir: string;
  close(): Promise<void>;
}

const require = createRequire(import.meta.url);
const arch = process.arch === "arm64" ? "aarch64" : "x64";

/** An interpreter out of the npm package of this platform. */
export function interpreter(name: "bun" | "deno"): string {
  const places =
    name === "bun"
      ? [`@oven/bun-${process.platform}-${arch}/bin/bun`]
      : [`@deno/${process.platform}-${process.arch}-glibc/deno`, `@deno/${process.platform}-${process.arch}/deno`];
  for (const place of places) {
    const [scope = "", packageName = "", ...path] = place.split("/");
    try {
      const found = join(dirname(require.resolve(`${scope}/${packageName}/package.json`)), ...path);
      if (existsSync(found)) return found;
    } catch {
      // The package of another platform.
    }
  }
  return name;
}

/**
 * Makes this process a runner of one language, with a work directory of its own. Once per process: the settings are read at the first run.
 * @param environment variables of the runner, on top of the usual ones
 */
export async function startRunner(language: RunRequest["language"], environment: Record<string, string> = {}): Promise<Runner> {
  process.env["SVC_WORK_DIR"] ??= mkdtempSync(join(tmpdir(), "svc-runner-"));
  const workDir = process.env["SVC_WORK_DIR"];
  process.env["SVC_BUN_PATH"] ??= interpreter("bun");
  process.env["SVC_DENO_PATH"] ??= interpreter("deno");
  Object.assign(process.env, { AWS_SECRET_ACCESS_KEY: "never-to-be-seen", SUPERVISOR_SECRET: "never-to-be-seen" }, environment);
  const { handler } = (await import(`../../${language}/handler.ts`)) as { handler: (request: RunRequest) => Promise<RunOutcome> };

  const runner: Runner = {
    run: (script) => handler(runner.request(script)),
    send: handler,
    request: (script) => makeRequest(language, script, runner, origin),
    beats: [],
    reports: [],
    uploads: new Map(),
    artefacts: new Map(),
    downloads: 0,
    onBeat: () => ({ go: "on", watched: false }),
    onReport: () => 200,
    workDir,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      process.once("exit", () => rmSync(workDir, { recursive: true, force: true }));
    },
  };
  const server = serve(runner);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return runner;
}

function serve(runner: Runner): Server {
  return createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const path = (request.url ?? "").split("?")[0] ?? "";
      const [, kind = "", id = ""] = path.split("/");
      const end = (status: number, answer?: object) => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(answer && JSON.stringify(answer));
      };
      if (kind === "artefacts") {
        const bytes = runner.artefacts.get(id);
        runner.downloads++;
        if (bytes) response.end(bytes);
        else end(404);
        return;
      }
      if (kind === "results") {
        runner.uploads.set(id, { type: request.headers["content-type"], body });
        return end(200);
      }
      const [, job = "", what] = /^\/api\/internal\/jobs\/([^/]+)\/(beat|report)$/.exec(path) ?? [];
      if (what === "beat") {
        const beat = { ...(JSON.parse(body) as BeatRequest), job };
        runner.beats.push({ ...beat, authorization: request.headers.authorization });
        const reply = runner.onBeat(beat);
        return typeof reply === "number" ? end(reply) : end(200, reply);
      }
      if (what === "report") {
        runner.reports.push({ ...(JSON.parse(body) as ReportRequest), job });
        return end(runner.onReport());
      }
      end(404);
    });
  });
}

const entryFile = (language: string): string =>
  (Object.values(manifests) as RunnerManifest[]).find(({ id }) => id === language)?.entryFile ?? "main";

function makeRequest(language: RunRequest["language"], script: Script, runner: Runner, origin: string): RunRequest {
  const { code, files = {}, ...overrides } = script;
  const contents = { ...(code !== undefined && { [entryFile(language)]: code }), ...files };
  const bytes = zipSync(
    Object.fromEntries(Object.entries(contents).map(([name, content]) => [name, typeof content === "string" ? strToU8(content) : content])),
    { mtime: "2020-01-01" },
  );
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  runner.artefacts.set(sha256, bytes);
  const job = overrides.job ?? randomUUID();
  return {
    job,
    workspace: "demo",
    attempt: 1,
    nonce: "nonce-of-this-attempt",
    language,
    artefact: { key: `demo/${sha256}`, url: `${origin}/artefacts/${sha256}?X-Amz-Signature=secret-signature`, sha256 },
    entrypoint: "main",
    params: null,
    args: {},
    env: { WM_JOB_ID: job },
    timeoutMs: 20_000,
    hostKey: "demo/u/someone/f/ops/hello",
    dedicated: false,
    resultUrl: `${origin}/results/${job}?X-Amz-Signature=secret-signature`,
    maxInlineResultBytes: 8192,
    maxResultBytes: 50 * 1024 * 1024,
    maxLogBytes: 5 * 1024 * 1024,
    internalUrl: origin,
    token: "secret-job-token",
    ...overrides,
  };
}

/** The directories of jobs that are still there; waiting hosts and spares have one each, empty but for its `tmp`. */
export function filesOfJobs(runner: Runner): string[] {
  return readdirSync(join(runner.workDir, "jobs"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\/(deno|cache)(\/|$)/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name));
}

export function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until something holds; the test's own time limit is the limit. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

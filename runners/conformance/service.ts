import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { strToU8, zipSync } from "fflate";
import type { RunnerManifest } from "../manifest.ts";
import type { BeatReply, BeatRequest, CheckReply, CheckRequest, ReportRequest, RunRequest } from "../protocol.ts";

/** The service around a runner on one loopback port: artefacts, uploads of results and the internal route. */
export interface Service {
  origin: string;
  beats: (BeatRequest & { job: string; authorization: string | undefined })[];
  reports: (ReportRequest & { job: string })[];
  /** Uploaded results by job id, or by the last part of another URL. */
  uploads: Map<string, { type: string | undefined; body: string }>;
  artefacts: Map<string, Uint8Array>;
  downloads: number;
  /** Answers a beat; a number is a status without a body. */
  onBeat: (beat: BeatRequest & { job: string }) => BeatReply | number;
  /** Answers a check of arguments; a number is a status without a body. */
  onCheck: (check: CheckRequest & { job: string; authorization: string | undefined }) => CheckReply | number;
  /** Answers a report with a status. */
  onReport: () => number;
}

/** A script and the fields of its request that differ from the defaults. `code` becomes the language's entry file. */
export interface Script extends Partial<Omit<RunRequest, "artefact">> {
  code?: string;
  /** More files of the artefact; for Python, scripts by path. */
  files?: Record<string, string | Uint8Array>;
  /** Python: the script's path and its packages. */
  path?: string;
  deps?: Record<string, string>;
}

export async function startService(): Promise<{ service: Service; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString("utf8");
    const path = (request.url ?? "").split("?")[0] ?? "";
    const [, kind = "", id = ""] = path.split("/");
    const answer = (status: number, content: string | Uint8Array = "") => {
      response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(content) });
      response.end(content);
    };
    if (kind === "artefacts") {
      service.downloads += 1;
      const bytes = service.artefacts.get(id);
      return answer(bytes ? 200 : 404, bytes);
    }
    if (kind === "results") {
      service.uploads.set(id, { type: request.headers["content-type"], body });
      return answer(200);
    }
    const [, job = "", action] = /^\/api\/internal\/jobs\/([^/]+)\/(beat|report|check)$/.exec(path) ?? [];
    if (action === "beat") {
      const beat = { ...(JSON.parse(body) as BeatRequest), job };
      service.beats.push({ ...beat, authorization: request.headers.authorization });
      const reply = service.onBeat(beat);
      return typeof reply === "number" ? answer(reply) : answer(200, JSON.stringify(reply));
    }
    if (action === "report") {
      service.reports.push({ ...(JSON.parse(body) as ReportRequest), job });
      return answer(service.onReport());
    }
    if (action === "check") {
      const reply = service.onCheck({ ...(JSON.parse(body) as CheckRequest), job, authorization: request.headers.authorization });
      return typeof reply === "number" ? answer(reply) : answer(200, JSON.stringify(reply));
    }
    answer(404);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const service: Service = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    beats: [],
    reports: [],
    uploads: new Map(),
    artefacts: new Map(),
    downloads: 0,
    onBeat: () => ({ go: "on", watched: false }),
    onCheck: () => ({}),
    onReport: () => 200,
  };
  return {
    service,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Makes the request of one run and stores its artefact where the runner downloads it. */
export function makeRequest({ id, entryFile }: RunnerManifest, script: Script, service: Service): RunRequest {
  const { code, path = "f/ops/hello", files = {}, deps = {}, ...overrides } = script;
  const contents =
    entryFile === undefined
      ? {
          "svc.json": JSON.stringify({ entry: `scripts/${path}.py` }),
          [`scripts/${path}.py`]: code ?? "",
          ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`scripts/${name}`, text])),
          ...Object.fromEntries(Object.entries(deps).map(([name, text]) => [`deps/${name}`, text])),
        }
      : { ...(code !== undefined && { [entryFile]: code }), ...files };
  const bytes = zipSync(
    Object.fromEntries(Object.entries(contents).map(([name, content]) => [name, typeof content === "string" ? strToU8(content) : content])),
    // Equal sources must always produce the same artefact, because a dedicated host serves one artefact.
    { mtime: "2020-01-01" },
  );
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  service.artefacts.set(sha256, bytes);
  const { origin } = service;
  const job = overrides.job ?? randomUUID();
  return {
    job,
    workspace: "demo",
    attempt: 1,
    nonce: "nonce-of-this-attempt",
    language: id,
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

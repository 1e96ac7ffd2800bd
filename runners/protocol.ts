/** The protocol between executors and runners. This file imports nothing, so that a runner stays small and separate. */

/** One run of one attempt of a job, as the executor invokes a runner with it. Times are milliseconds. */
export interface RunRequest {
  job: string;
  workspace: string;
  attempt: number;
  /** Random per attempt; beats and reports carry it, so that a lost attempt cannot speak for its successor. */
  nonce: string;
  /** The id of the runner's manifest. */
  language: string;
  artefact: Artefact;
  /** Name of the exported function to call. Ignored by bash. */
  entrypoint: string;
  /** Names of the entrypoint's parameters in order, as parsed when the script was saved; `null` when they are not known (an overridden entrypoint). */
  params: string[] | null;
  /** Parameters that the script's types turn into something JSON has not: `date` a Date, `bytes` (base64) a Uint8Array. */
  paramTypes?: Record<string, "date" | "bytes">;
  args: Record<string, unknown>;
  /** Call the script's `preprocessor` first: the arguments are for it, `event` among them, and what it returns is the entrypoint's. */
  preprocessor?: { params: string[] | null };
  /** The child's environment, complete but for what the supervisor adds: PATH, HOME, TMPDIR, LANG and the job's directory. */
  env: Record<string, string>;
  timeoutMs: number;
  /** One per workspace, identity and script version: hosts are never shared across keys. */
  hostKey: string;
  /** Keeps the loaded module between runs. */
  dedicated: boolean;
  /** One process for all runs of this host key, whatever their artefacts. */
  together?: boolean;
  /** The folder `./shared` of steps that run in one place. */
  shared?: SharedFolder;
  /** What follows in the same call when this has succeeded. */
  next?: NextRuns | undefined;
  /** Somebody reads along from the start: the first output goes out at once, and not in the first beat after a second. */
  watched?: boolean;
  /** Presigned PUT for a result above `maxInlineResultBytes`. */
  resultUrl: string;
  maxInlineResultBytes: number;
  maxResultBytes: number;
  maxLogBytes: number;
  /** Origin of the internal route, and the job token for it. */
  internalUrl: string;
  token: string;
}

/** Runs that may follow at once. None begins after `withinMs` of the call, nor behind one that failed or whose result is long. */
export interface NextRuns {
  runs: NextRun[];
  withinMs: number;
  /** Presigned PUT for the one result that is too large for the answer. */
  resultUrl: string;
}

/** One of them: what differs from the request's own run. */
export interface NextRun extends Pick<RunRequest, "artefact" | "params" | "paramTypes" | "timeoutMs"> {
  args: Record<string, NextArgument>;
  env: Record<string, string>;
}

/** A value; or a part of what an earlier run of the call has yielded, 0 being the request's own. */
export type NextArgument = { value: unknown } | { of: number; path: string[] };

/** The arguments of a run that follows; `undefined` when they are for the executor to find out. Such a run does not begin. */
export function nextArguments(args: NextRun["args"], results: readonly unknown[]): Record<string, unknown> | undefined {
  const made: Record<string, unknown> = {};
  for (const [name, argument] of Object.entries(args)) {
    let value = "of" in argument ? results[argument.of] : argument.value;
    for (const part of "of" in argument ? argument.path : []) {
      if (value === null || value === undefined) break;
      // What is inherited, a list's length for one, is JavaScript's to say.
      if (typeof value !== "object" || !Object.hasOwn(value, part)) return undefined;
      value = (value as Record<string, unknown>)[part];
    }
    // What may stand for a resource or variable is looked up by the executor.
    if ("of" in argument && /"\$(res|var):/.test(JSON.stringify(value ?? null))) return undefined;
    Object.defineProperty(made, name, { value: value ?? null, enumerable: true, configurable: true, writable: true });
  }
  return made;
}

/** A folder that steps hand on, as a zip of its files. Without `archive` nothing was left in it so far. */
export interface SharedFolder {
  /** Presigned GET, and the hex SHA-256 of what is there. */
  archive?: { url: string; sha256: string };
  /** Presigned PUT for what it is after the run, when that is something else. */
  putUrl: string;
  /** Of its files together. */
  maxBytes: number;
}

/** What `build` made: one gzip-less zip whose root holds `main.<ext>` or the binary `main`, and all that it needs. */
export interface Artefact {
  key: string;
  /** Presigned GET. */
  url: string;
  /** Hex SHA-256 of the bytes, checked on load. */
  sha256: string;
}

export interface RunError {
  name: string;
  message: string;
  stack?: string | undefined;
  exit_code?: number | undefined;
  signal?: string | undefined;
  /** What was thrown may shape the reply of a synchronous call: `svc_status_code` and the like, and `result` with them (spec §4.4). */
  reply?: Record<string, unknown> | undefined;
}

/** A runner never throws for what user code did: every end of a run is one of these. */
export interface RunOutcome {
  outcome: "success" | "failure" | "timeout" | "killed";
  /** On success, unless `resultUploaded`. On failure the executor makes `{error}` of `error`. */
  result?: unknown;
  /** The result is at `resultUrl`, this many bytes of JSON. */
  resultUploaded?: { bytes: number } | undefined;
  error?: RunError | undefined;
  /** `./shared` has changed and is at `shared.putUrl`: hex SHA-256 and size of the zip. */
  shared?: { sha256: string; bytes: number } | undefined;
  /** The arguments that the preprocessor made; it has run to its end. */
  preprocessed?: Record<string, unknown> | undefined;
  /** What beats have not carried yet, and where it begins, in UTF-16 units. */
  logs: { offset: number; text: string };
  memPeakKb?: number | undefined;
  timings: { setupMs: number; runMs: number; totalMs: number; freshHost: boolean };
  /** How the runs that followed ended, in their order: as many as have begun. Their logs are whole. */
  next?: NextOutcome[] | undefined;
}
export interface NextOutcome extends Omit<RunOutcome, "next" | "shared"> {
  startedAtMs: number;
  endedAtMs: number;
}

/** `POST {internalUrl}/api/internal/jobs/{job}/beat`, with the job token as bearer. Output at once, then every 200 ms while watched, else every 5 s or 64 KB. */
export interface BeatRequest {
  attempt: number;
  nonce: string;
  logs?: { offset: number; text: string } | undefined;
  memPeakKb?: number | undefined;
}
export interface BeatReply {
  /** `stop`: kill the child and end; the job was canceled or this attempt does not count any more. */
  go: "on" | "stop";
  reason?: string;
  /** Somebody reads along: beat every 200 ms while there is output. */
  watched: boolean;
}

/** `POST {internalUrl}/api/internal/jobs/{job}/report`: a run of more than 5 s reports its own end as well. */
export interface ReportRequest {
  attempt: number;
  nonce: string;
  outcome: RunOutcome;
}

/** Marks the place where output was cut at the limit. */
export const LOG_CUT_MARKER = "\n[svc] The log was cut here: it reached the limit of {limit} MB.\n";

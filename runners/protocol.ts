/** The protocol between executors and runners. This file imports nothing, so that runners remain small and independent. */

/**
 * The type to which the wrapper of TypeScript converts an argument: text of ISO 8601 to a `Date`, base64 to the other types. In a list it converts
 * each item, in a record each value, and in an object the named fields.
 */
export type ParamType =
  | "date"
  | "bytes"
  | "buffer"
  | "arrayBuffer"
  | "blob"
  | { items: ParamType }
  | { values: ParamType }
  | { fields: ParamTypes };
export interface ParamTypes {
  [name: string]: ParamType;
}

/** The request with which the executor invokes a runner for one attempt of a job. Times are milliseconds. */
export interface RunRequest {
  job: string;
  workspace: string;
  attempt: number;
  /** Random per attempt. Beats and reports carry it, so that a lost attempt cannot act for its successor. */
  nonce: string;
  /** The id of the runner's manifest. */
  language: string;
  artefact: Artefact;
  /** Name of the exported function to call. Ignored by bash. */
  entrypoint: string;
  /** Names of the entrypoint's parameters in order, parsed when the script was saved; `null` if unknown (an overridden entrypoint). */
  params: string[] | null;
  /** Parameters whose types JSON does not have. */
  paramTypes?: ParamTypes;
  args: Record<string, unknown>;
  /**
   * The JSON of the arguments in base64, in place of `args`: the runtime of the handler would round their numbers. In base64 the size of a request does
   * not depend on the characters.
   */
  exactArgs?: string;
  /** Calls the script's `preprocessor` first with `args`, which include `event`. Its result becomes the entrypoint's arguments. */
  preprocessor?: Preprocessor;
  /** The child's complete environment, except for the variables that the supervisor adds: PATH, HOME, TMPDIR and LANG. */
  env: Record<string, string>;
  timeoutMs: number;
  /** One key for each workspace, identity and script version. Hosts are never shared between keys. */
  hostKey: string;
  /** Reuses the loaded module between runs. */
  dedicated: boolean;
  /** One process for all runs of this host key, whatever their artefacts. */
  together?: boolean;
  /** The folder `./shared` of a flow's steps. */
  shared?: SharedFolder;
  /** Runs that follow in the same call if this one succeeds. */
  next?: NextRuns | undefined;
  /** The job is watched from the start: the first output is sent at once instead of after a second. */
  watched?: boolean;
  /** Presigned PUT for a result above `maxInlineResultBytes`. */
  resultUrl: string;
  maxInlineResultBytes: number;
  maxResultBytes: number;
  maxLogBytes: number;
  /** Origin of the internal routes, where function `beat` answers, and the job token for them. */
  internalUrl: string;
  token: string;
  /** The time for which the caller waits and renews the lease. Until then, missing acknowledgements of heartbeats do not end the run. */
  executorWaitsMs?: number;
}

export interface Preprocessor {
  params: string[] | null;
  /** The service checks the result before the entrypoint is called (`CheckRequest`). */
  checks?: true | undefined;
}

/** Runs that may follow immediately. None begins after `withinMs` of the call, after a failed run, or after an uploaded result. */
export interface NextRuns {
  runs: NextRun[];
  withinMs: number;
  /** Presigned PUT for the one result that is too large for the answer. */
  resultUrl: string;
}

/** A following run: the fields that differ from the request's own run. */
export interface NextRun extends Pick<RunRequest, "artefact" | "params" | "paramTypes" | "timeoutMs"> {
  args: Record<string, NextArgument>;
  env: Record<string, string>;
}

/** A value, or a path into the result of an earlier run of the call; run 0 is the request's own. */
export type NextArgument = { value: unknown } | { of: number; path: string[] };

/** Returns the arguments of a following run; `undefined` if only the executor can resolve them. Such a run does not begin. */
export function nextArguments(args: NextRun["args"], results: readonly unknown[]): Record<string, unknown> | undefined {
  const resolvedArguments: Record<string, unknown> = {};
  for (const [name, argument] of Object.entries(args)) {
    let value = "of" in argument ? results[argument.of] : argument.value;
    for (const part of "of" in argument ? argument.path : []) {
      if (value === null || value === undefined) break;
      // Inherited properties, such as an array's length, need JavaScript evaluation by the executor.
      if (typeof value !== "object" || !Object.hasOwn(value, part)) return undefined;
      value = (value as Record<string, unknown>)[part];
    }
    // Only the executor resolves references to resources and variables.
    if ("of" in argument && /"\$(res|var):/.test(JSON.stringify(value ?? null))) return undefined;
    Object.defineProperty(resolvedArguments, name, { value: value ?? null, enumerable: true, configurable: true, writable: true });
  }
  return resolvedArguments;
}

/** A folder that steps share, as a zip of its files. Without `archive` the folder is empty. */
export interface SharedFolder {
  /** Presigned GET, and the hex SHA-256 of the zip. */
  archive?: { url: string; sha256: string };
  /** Presigned PUT for the zip after the run, if the files have changed. */
  putUrl: string;
  /** Limit of the total size of its files. */
  maxBytes: number;
}

/** The artefact that `build` made: one zip whose root contains `main.<ext>` or the binary `main`, and its dependencies. */
export interface Artefact {
  key: string;
  /** Presigned GET. */
  url: string;
  /** Hex SHA-256 of the bytes, verified after the download. */
  sha256: string;
}

export interface RunError {
  name: string;
  message: string;
  stack?: string | undefined;
  exit_code?: number | undefined;
  signal?: string | undefined;
  /** Keys of the thrown value that shape the reply of a synchronous call: `svc_status_code`, similar ones, and `result` (spec §4.4). */
  reply?: Record<string, unknown> | undefined;
}

/** The outcome of a run. A runner never throws for an error of user code; every end of a run is one of these. */
export interface RunOutcome {
  outcome: "success" | "failure" | "timeout" | "killed";
  /** Set on success, unless `resultUploaded`. On failure the executor stores `{error}` as the result. */
  result?: unknown;
  /** The result was uploaded to `resultUrl` and has this many bytes of JSON. */
  resultUploaded?: { bytes: number } | undefined;
  error?: RunError | undefined;
  /** Set if `./shared` has changed and was uploaded to `shared.putUrl`: hex SHA-256 and size of the zip. */
  shared?: { sha256: string; bytes: number } | undefined;
  /** The arguments that the preprocessor returned; set if it completed. */
  preprocessed?: Record<string, unknown> | undefined;
  /** The output that no beat has carried, and its offset in UTF-16 units. */
  logs: { offset: number; text: string };
  memPeakKb?: number | undefined;
  timings: { setupMs: number; runMs: number; totalMs: number; freshHost: boolean };
  /**
   * The fault of the runner that caused a `RunnerError`, for the log of the caller, because the role of a runner may not write logs. It contains
   * no address, and no user sees it.
   */
  problem?: string | undefined;
  /** The outcomes of the following runs that began, in order. Their logs are complete. */
  next?: NextOutcome[] | undefined;
}
export interface NextOutcome extends Omit<RunOutcome, "next" | "shared" | "problem"> {
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
  /** `stop`: kill the child and end, because the job was canceled or this attempt is no longer valid. */
  go: "on" | "stop";
  reason?: string;
  /** The job is watched: send a beat every 200 ms while there is output. */
  watched: boolean;
}

/** `POST {internalUrl}/api/internal/jobs/{job}/report`: a run of more than 5 s also reports its outcome. */
export interface ReportRequest {
  attempt: number;
  nonce: string;
  outcome: RunOutcome;
}

/**
 * `POST {internalUrl}/api/internal/jobs/{job}/check`, which the script's process sends with the job token as bearer: the arguments that the
 * preprocessor returned.
 */
export interface CheckRequest {
  args: Record<string, unknown>;
}
/** `problem`: the sentence with which the run fails, because the arguments do not match the schema. */
export interface CheckReply {
  problem?: string;
}

/** Marks the position where output was cut at the limit. */
export const LOG_CUT_MARKER = "\n[svc] The log was cut here: it reached the limit of {limit} MB.\n";

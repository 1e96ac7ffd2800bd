import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { ensurePythonTools, fuzzer } from "../../../engine/launch/venv.ts";
import { svcDir } from "../../../engine/paths.ts";

export interface FuzzOptions {
  url: string;
  token: string;
  /** For every call: the workspace that may be damaged. */
  workspace: string;
  /** Existing objects by the parameter that identifies them. More than half of all calls use one of these. */
  known: Readonly<Record<string, readonly string[]>>;
  /** Operations that are not called, by their ids. */
  leaveOut: readonly string[];
  /** The number of random calls of each operation. */
  examples: number;
}

export interface FuzzReport {
  operations: { total: number; selected: number; tested: number };
  test_cases: { generated: number };
  failures: { code: string; title: string; count: number; operations: string[] }[];
  errors: { title: string; count: number }[];
}

/** The checks of every response: no server error, a documented status, type, headers and shape. */
const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "unsupported_method",
  "allow_header_conformance",
  "ignored_auth",
];

const SHARE = 0.6;
/** One of its libraries cannot be imported at a deep stack, so it is imported first. */
const START = 'import anyio, runpy; runpy.run_module("schemathesis.cli", run_name="__main__", alter_sys=True)';

/**
 * Runs Schemathesis with the service's OpenAPI document and a fixed seed. Returns its report and output, which `.svc/fuzz/` also contains.
 */
export async function fuzz(options: FuzzOptions): Promise<{ report: FuzzReport; output: string }> {
  const { python, packages } = await fuzzer(await ensurePythonTools());
  const dir = path.join(svcDir, "fuzz");
  mkdirSync(dir, { recursive: true });
  const [config, reportFile] = [path.join(dir, "schemathesis.toml"), path.join(dir, "report.json")];
  writeFileSync(config, configOf(options), { mode: 0o600 });
  const args = ["-c", START, "--config-file", config, "run", `${options.url}/api/openapi.json`, "--phases", "fuzzing"];
  args.push("--max-examples", String(options.examples), "--generation-deterministic", "--no-shrink", "--continue-on-failure", "--no-color");
  // Two threads of Hypothesis disturb each other at the start on a busy machine: it makes no call of an operation, and reports nothing.
  args.push("--checks", CHECKS.join(","), "--report", "json", "--report-json-path", reportFile, "--workers", "1");
  for (const id of options.leaveOut) args.push("--exclude-operation-id", id);
  const env = { ...process.env, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: "1", COLUMNS: "200" };
  const done = promisify(execFile)(python, args, { cwd: dir, env, maxBuffer: 64 * 1024 * 1024 });
  // It exits with 1 if it found a fault, which its report describes.
  const { stdout } = await done.catch((error: { code?: number; stdout?: string; stderr?: string }) => {
    if (error.code !== 1) throw new Error(`The fuzzer could not run: ${error.stderr}\n${error.stdout}`);
    return { stdout: error.stdout ?? "" };
  });
  writeFileSync(path.join(dir, "report.txt"), stdout);
  const report = JSON.parse(readFileSync(reportFile, "utf8")) as FuzzReport;
  return { report: { ...report, errors: report.errors.flatMap((error) => withoutPythonFault(error, stdout)) }, output: stdout };
}

/**
 * A bug of CPython before 3.11.8 and 3.12.1 that occurs at a deep stack. It is unrelated to the service and costs one operation some calls.
 */
function withoutPythonFault(error: FuzzReport["errors"][number], output: string): FuzzReport["errors"] {
  const faults = output.split("SystemError: AST constructor recursion depth mismatch").length - 1;
  const count = error.title === "Runtime Error" ? error.count - faults : error.count;
  return count > 0 ? [{ ...error, count }] : [];
}

/** Settings of the operations whose path matches. The settings of all groups that an operation matches are merged. */
const operations = (pathPattern: string, settings: readonly string[]) => [
  "[[operations]]",
  `include-path-regex = "${pathPattern}"`,
  ...settings,
];

function configOf({ url, token, workspace, known }: FuzzOptions): string {
  const named = Object.keys(known);
  const oneOf = (name: string) => `{ dictionary = "${name}", probability = ${SHARE} }`;
  return [
    `base-url = ${JSON.stringify(url)}`,
    `headers = { Authorization = ${JSON.stringify(`Bearer ${token}`)} }`,
    'suppress-health-check = ["all"]',
    "warnings = false",
    "request-timeout = 60",
    "[parameters]",
    `"path.workspace" = ${JSON.stringify(workspace)}`,
    ...named.filter((name) => name !== "ended").map((name) => `"${name === "file_key" ? "query" : "path"}.${name}" = ${oneOf(name)}`),
    ...named.flatMap((name) => [`[dictionaries.${name}]`, `values = ${JSON.stringify(known[name])}`]),
    ...operations("run_(and_stream|wait_result)", [
      // Synchronous calls are not delayed. One that takes too long is a regular 504, not a fault.
      'parameters = { "query.scheduled_in_secs" = 0, "query.scheduled_for" = "2020-01-01T00:00:00Z" }',
      'checks = { not_a_server_error = { expected-statuses = ["2xx", "3xx", "4xx", "504"] } }',
    ]),
    ...operations("getupdate_sse", [`parameters = { "path.id" = ${oneOf("ended")} }`]),
  ].join("\n");
}

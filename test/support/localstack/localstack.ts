import { spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runCommand } from "../../../engine/commands/command.ts";
import { freePort } from "../../../engine/engine/ports.ts";
import { ensurePythonTools } from "../../../engine/launch/venv.ts";
import { svcDir } from "../../../engine/paths.ts";
import { until } from "../until.ts";

/** The last open release, from PyPI and without Docker; it is incompatible with later packages. */
const LOCALSTACK = "localstack-core[runtime]==2026.3.0";
const NEWEST = "2026-03-25";
export const localstackHome = path.join(svcDir, "localstack-asl");
const python = path.join(localstackHome, "venv", "bin", "python");

const NOT_HERE = "Python 3.13 is not here; npm run test:asl fetches it, and 240 packages";

/**
 * Installs LocalStack, and returns the reason why it is unavailable, if there is one. `fetchPython` also downloads Python 3.13 if it is
 * missing.
 */
export async function installLocalstack(fetchPython: boolean): Promise<string | undefined> {
  if (existsSync(path.join(localstackHome, "complete"))) return undefined;
  const { uv } = await ensurePythonTools();
  if (!fetchPython && (await runCommand(uv, ["python", "find", "--no-python-downloads", "3.13"])).code !== 0) return NOT_HERE;
  rmSync(localstackHome, { recursive: true, force: true });
  mkdirSync(localstackHome, { recursive: true });
  const made = await runCommand(uv, ["venv", "--quiet", "--python", "3.13", path.join(localstackHome, "venv")]);
  if (made.code !== 0) return "it needs Python 3.13, which is not here and could not be fetched";
  const installed = await runCommand(uv, [..."pip install --quiet --exclude-newer".split(" "), NEWEST, "--python", python, LOCALSTACK]);
  if (installed.code !== 0) throw new Error(`LocalStack could not be installed: ${installed.output}`);
  writeFileSync(path.join(localstackHome, "complete"), "");
  return undefined;
}

/** A running LocalStack that offers Step Functions alone. */
export interface LocalstackStates {
  endpoint: string;
  stop(): Promise<void>;
}

/**
 * Starts LocalStack's Step Functions on this port, or on a free one. `env` contains its settings: canned answers of tasks
 * (`SFN_MOCK_CONFIG`), or the engine whose functions the tasks invoke (`TASKS_ENDPOINT`).
 */
export async function startLocalstackStates(env: Record<string, string>, port?: number): Promise<LocalstackStates> {
  const address = `127.0.0.1:${port ?? (await freePort())}`;
  const log = openSync(path.join(localstackHome, `localstack-${process.pid}.log`), "w", 0o600);
  const server = spawn(python, [path.join(import.meta.dirname, "step_functions.py")], {
    cwd: localstackHome,
    env: {
      PATH: process.env["PATH"],
      HOME: localstackHome,
      DNS_ADDRESS: "0",
      SKIP_SSL_CERT_DOWNLOAD: "1",
      DISABLE_EVENTS: "1",
      PYTHONDONTWRITEBYTECODE: "1",
      GATEWAY_LISTEN: address,
      SERVICES: "stepfunctions,sts,iam,logs,events",
      ...env,
    },
    stdio: ["ignore", log, log],
  });
  const endpoint = `http://${address}`;
  const isHealthy = () =>
    fetch(`${endpoint}/_localstack/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  const stop = async () => {
    if (server.exitCode !== null) return;
    const closed = new Promise((resolve) => server.once("close", resolve));
    server.kill("SIGTERM");
    await closed;
  };
  try {
    await until(isHealthy, { what: "LocalStack", timeoutMs: 60_000 });
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint, stop };
}

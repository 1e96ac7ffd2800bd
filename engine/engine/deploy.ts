import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type CommandResult, lastLines, runCommand } from "../commands/command.ts";
import { Complaint } from "../launch/complaint.mjs";
import { withLock } from "../launch/lock.mjs";
import { localBin, root, svcDir } from "../paths.ts";
import { childEnv, engineCredentials } from "./child-env.ts";
import { bundleFingerprint, sourceFingerprint, templateFingerprint } from "./fingerprint.ts";
import type { EngineSettings } from "./settings.ts";

/** The stack's outputs by name (lib/svc.ts). */
export type Outputs = Readonly<Record<string, string>>;

const STACK = "svc";
const BOOTSTRAP_LIMIT_MS = 300_000;
/** A custom resource whose function dies would block a deployment for an hour. */
const LIMITS = { synthMs: 120_000, deployMs: 300_000 };

interface Deployed {
  sources: string;
  template: string;
  outputs: Outputs;
}

export interface Deployment {
  /** Folder of the instance, which contains the record of its deployment. */
  dir: string;
  endpoint: string;
  settings: EngineSettings;
  /** The time limit of each step in milliseconds. */
  limits?: { synthMs: number; deployMs: number };
  /** Folder of a `python3` with pip, first in the commands' PATH, because interpreters in assets also come from PyPI. */
  pythonDir?: string;
  signal?: AbortSignal;
  say?: (detail: string) => void;
}

/** Deploys unless the deployment was made from the same sources and settings. Returns the outputs and the action taken. */
export async function deploy(deployment: Deployment): Promise<{ outputs: Outputs; did: string }> {
  const { dir, endpoint, settings, signal, pythonDir, limits = LIMITS, say = () => {} } = deployment;
  const before = readDeployed(dir);
  const sources = sourceFingerprint(root, settings);
  if (before?.sources === sources && (await isDeployed(endpoint))) return { outputs: before.outputs, did: "nothing changed" };

  say("bundling and synthesising");
  const cdkOut = path.join(dir, "cdk.out");
  // Every synthesis in this checkout uses the same bundle folder. Afterwards, cdk.out contains copies. CDK's own check of the template is as
  // expensive as the rest, and the engine does not need it: `npm run verify` makes it.
  const synth = await withLock(path.join(svcDir, "synth.lock"), () =>
    cdk(["synth", "--quiet", "--no-validation", "--output", cdkOut, "--context", `svc=${JSON.stringify(settings)}`], {
      endpoint,
      limitMs: limits.synthMs,
      signal,
      env: { SVC_SOURCES: bundleFingerprint(root) },
      ...(pythonDir ? { pythonDir } : {}),
    }),
  );
  if (synth.code !== 0) throw failure("The CDK app could not be synthesised", synth, limits.synthMs);
  const template = templateFingerprint(cdkOut);
  if (before?.template === template && (await isDeployed(endpoint))) {
    writeDeployed(dir, { ...before, sources });
    return { outputs: before.outputs, did: "template unchanged" };
  }

  const outputsFile = path.join(dir, "outputs.json");
  const resources = countResources(cdkOut);
  say(`${resources} resources`);
  const result = await cdk(
    ["deploy", STACK, "--app", cdkOut, "--require-approval", "never", "--outputs-file", outputsFile, "--progress", "events"],
    {
      endpoint,
      limitMs: limits.deployMs,
      signal,
    },
  );
  if (result.code !== 0) throw failure("The deployment to the local engine failed", result, limits.deployMs);
  const outputs = (JSON.parse(readFileSync(outputsFile, "utf8")) as Record<string, Outputs>)[STACK] ?? {};
  writeDeployed(dir, { sources, template, outputs });
  return { outputs, did: `${resources} resources` };
}

/** Returns whether it was necessary. */
export async function bootstrap(endpoint: string, dir: string, signal?: AbortSignal): Promise<boolean> {
  if (await engineCall(endpoint, "ssm", "AmazonSSM.GetParameter", { Name: "/cdk-bootstrap/hnb659fds/version" })) return false;
  const target = `aws://000000000000/${engineCredentials.AWS_REGION}`;
  // The working directory contains no cdk.json, because with one the CLI would synthesise the app first.
  const result = await cdk(["bootstrap", target], { endpoint, cwd: dir, limitMs: BOOTSTRAP_LIMIT_MS, signal });
  if (result.code !== 0) throw failure("cdk bootstrap failed on the local engine", result, BOOTSTRAP_LIMIT_MS);
  return true;
}

/** Returns whether the engine contains the stack. A killed engine loses unsaved state, which the record does not show. */
async function isDeployed(endpoint: string): Promise<boolean> {
  const query = new URLSearchParams({ Action: "DescribeStacks", Version: "2010-05-15", StackName: STACK });
  try {
    const answer = await fetch(`${endpoint}/`, { method: "POST", headers: authorization("cloudformation"), body: query });
    const text = await answer.text();
    return answer.ok && /<StackStatus>(CREATE|UPDATE)_COMPLETE<\/StackStatus>/.test(text);
  } catch {
    return false;
  }
}

async function engineCall(endpoint: string, service: string, target: string, input: unknown): Promise<boolean> {
  const headers = { ...authorization(service), "content-type": "application/x-amz-json-1.1", "x-amz-target": target };
  try {
    const answer = await fetch(`${endpoint}/`, { method: "POST", headers, body: JSON.stringify(input) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

/** The engine routes by the credential's scope and checks no signature, so these two small requests need no SDK client. */
function authorization(service: string): Record<string, string> {
  const day = new Date().toISOString().slice(0, 10).replaceAll("-", "");
  const scope = `${engineCredentials.AWS_ACCESS_KEY_ID}/${day}/${engineCredentials.AWS_REGION}/${service}/aws4_request`;
  return { authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0` };
}

interface CdkOptions {
  endpoint: string;
  cwd?: string;
  pythonDir?: string;
  /** Variables in addition to those of every call. */
  env?: Record<string, string>;
  limitMs: number;
  signal: AbortSignal | undefined;
}

function cdk(
  args: readonly string[],
  { endpoint, cwd = root, pythonDir, env: more = {}, limitMs, signal }: CdkOptions,
): Promise<CommandResult> {
  const PATH = [pythonDir, process.env["PATH"]].filter(Boolean).join(path.delimiter);
  const env = childEnv(
    { ...process.env, PATH },
    {
      ...engineCredentials,
      AWS_ENDPOINT_URL: endpoint,
      AWS_ENDPOINT_URL_S3: endpoint,
      CDK_DISABLE_VERSION_CHECK: "1",
      CDK_DISABLE_CLI_TELEMETRY: "true",
      // Without this variable, the SDK tries to reach an instance metadata service first.
      AWS_EC2_METADATA_DISABLED: "true",
      ...more,
    },
  );
  return runCommand(localBin("cdk"), [...args, "--no-notices", "--no-color"], {
    cwd,
    env,
    timeoutMs: limitMs,
    ...(signal ? { signal } : {}),
  });
}

function failure(problem: string, { output, timedOut }: CommandResult, limitMs: number): Error {
  if (timedOut)
    return new Complaint(`${problem}: it took longer than ${limitMs / 1000} s. Try npm run reset, then npm run up.\n${lastLines(output)}`);
  return new Complaint(`${problem}. If the sources are correct, run npm run reset and npm run up.\n${lastLines(output, 15)}`);
}

function countResources(cdkOut: string): number {
  const template = JSON.parse(readFileSync(path.join(cdkOut, `${STACK}.template.json`), "utf8")) as { Resources?: object };
  return Object.keys(template.Resources ?? {}).length;
}

const deployedFile = (dir: string) => path.join(dir, "deployed.json");

function readDeployed(dir: string): Deployed | undefined {
  try {
    return JSON.parse(readFileSync(deployedFile(dir), "utf8"));
  } catch {
    return undefined;
  }
}

function writeDeployed(dir: string, deployed: Deployed): void {
  writeFileSync(deployedFile(dir), JSON.stringify(deployed, null, 2));
}

import { existsSync } from "node:fs";
import path from "node:path";
import { env } from "../../contract/env.ts";
import { interpreters } from "../../contract/languages.ts";
import { runCommand } from "../commands/command.ts";
import { npmCommand } from "../launch/run.mjs";
import type { PythonTools } from "../launch/venv.ts";
import { root } from "../paths.ts";

/** The settings of the stack for every engine: the context key `svc` of the CDK app (checked by lib/config.ts). */
export interface EngineSettings {
  local: true;
  /** The public URL of the service. */
  baseUrl: string;
  /** The URL at which functions reach the service. */
  internalUrl: string;
  registries: { npm: string; pypi: string; go: string };
}

/** For an engine that runs functions as processes of this machine. */
export interface LocalSettings extends EngineSettings {
  buildTarget: { os: string; arch: string; python: string; node: string };
  interpreters: { node: string; uv: string; go: string; workDir: string; [interpreter: string]: string };
  tmpMode: "private" | "none";
  /** Providers to sign in with (lib/config.ts). */
  logins?: { name: string; displayName?: string; issuer: string; clientId: string; clientSecretName: string }[];
  includeHeaders: string;
  instanceEventsWebhook: string;
  /** The engine stores mails: `npm run mail` shows them. */
  mailFrom: string;
  /** The domain of mails that start jobs. The engine receives no mail. */
  mailDomain: string;
}

/**
 * Settings for an engine that runs functions in containers: the assets contain their interpreters, as on AWS, and no setting is a path of
 * this machine.
 */
export interface ContainerSettings extends EngineSettings {
  carryInterpreters: true;
  arch: Arch;
  /** LocalStack's open release has no Cognito. */
  passwords: false;
}

type Arch = "x64" | "arm64";
const machineArch = (): Arch => (process.arch === "arm64" ? "arm64" : "x64");

interface Given {
  url: string;
  workDir: string;
  tools: PythonTools;
  go: string;
}

export async function localSettings({ url, workDir, tools, go }: Given): Promise<LocalSettings> {
  const os = process.platform === "darwin" ? "darwin" : "linux";
  const arch = machineArch();
  return {
    local: true,
    baseUrl: url,
    internalUrl: url,
    buildTarget: { os, arch, python: tools.version, node: "24" },
    registries: await readRegistries(tools, go),
    interpreters: { ...interpreterPaths(os, arch), node: process.execPath, uv: tools.uv, go, workDir },
    // Only Linux supports a private /tmp without root.
    tmpMode: os === "linux" ? "private" : "none",
    // Read where the instance is started, like the registries, because the engine and its functions do not see the variables of the terminal.
    includeHeaders: process.env[env.includeHeaders] ?? "",
    instanceEventsWebhook: process.env[env.instanceEvents] ?? "",
    mailFrom: "svc@svc.localhost",
    mailDomain: "in.svc.localhost",
  };
}

/** `internalUrl` is the URL for functions inside containers, from which this machine's loopback addresses are not reachable. */
export async function containerSettings(options: { url: string; internalUrl: string; tools: PythonTools }): Promise<ContainerSettings> {
  const { url, internalUrl, tools } = options;
  return {
    local: true,
    baseUrl: url,
    internalUrl,
    carryInterpreters: true,
    arch: machineArch(),
    passwords: false,
    registries: await readRegistries(tools),
  };
}

/** The paths of the manifests' interpreters in this checkout. A missing one is empty: its language fails when it is used, and the others work. */
function interpreterPaths(os: "linux" | "darwin", arch: Arch): Record<string, string> {
  return Object.fromEntries(
    interpreters.map(({ name, packages, file }) => {
      const found = path.join(root, "node_modules", packages[`${os}-${arch}`], file);
      return [name, existsSync(found) ? found : ""];
    }),
  );
}

/** The registries that the user of this machine has configured. They are passed to the stack as settings and are not stored elsewhere. */
async function readRegistries(tools: PythonTools, go?: string): Promise<EngineSettings["registries"]> {
  const npm = npmCommand(process.env, process.execPath);
  const [npmSays, pipSays, goSays] = await Promise.all([
    process.env["npm_config_registry"] ?? ask(npm.file, [...npm.args, "config", "get", "registry", "--loglevel=silent"]),
    process.env["PIP_INDEX_URL"] ?? ask(tools.python, ["-m", "pip", "config", "get", "global.index-url"]),
    process.env["GOPROXY"] ?? (go ? ask(go, ["env", "GOPROXY"]) : ""),
  ]);
  return { npm: npmSays, pypi: pipSays, go: goSays };
}

async function ask(file: string, args: readonly string[]): Promise<string> {
  const { code, output } = await runCommand(file, args, { cwd: root, timeoutMs: 20_000 });
  const line = output.trim().split("\n").at(-1) ?? "";
  return code === 0 && line !== "undefined" ? line : "";
}

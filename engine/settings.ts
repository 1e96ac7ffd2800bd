import { existsSync } from "node:fs";
import path from "node:path";
import { runCommand } from "./command.ts";
import { npmCommand } from "./launch/run.mjs";
import { root } from "./paths.ts";
import type { PythonTools } from "./venv.ts";

/** What the stack is told about this machine: the context key `svc` of the CDK app (lib/config.ts checks it). */
export interface LocalSettings {
  local: true;
  baseUrl: string;
  internalUrl: string;
  buildTarget: { os: string; arch: string; python: string; node: string };
  registries: { npm: string; pypi: string; go: string };
  interpreters: { bun: string; deno: string; node: string; uv: string; go: string; workDir: string };
  tmpMode: "private" | "none";
}

interface Given {
  url: string;
  workDir: string;
  tools: PythonTools;
  go: string;
}

export async function localSettings({ url, workDir, tools, go }: Given): Promise<LocalSettings> {
  const os = process.platform === "darwin" ? "darwin" : "linux";
  const arch = process.arch === "arm64" ? "arm64" : "x64";
  return {
    local: true,
    baseUrl: url,
    internalUrl: url,
    buildTarget: { os, arch, python: tools.version, node: "24" },
    registries: await readRegistries(tools, go),
    interpreters: { ...interpreterPaths(os, arch), node: process.execPath, uv: tools.uv, go, workDir },
    // Only Linux can give a process a /tmp of its own without root.
    tmpMode: os === "linux" ? "private" : "none",
  };
}

/** npm packages that ship the interpreters; each calls its platforms in its own way. */
function interpreterPaths(os: "linux" | "darwin", arch: "x64" | "arm64"): { bun: string; deno: string } {
  const modules = path.join(root, "node_modules");
  const bunArch = arch === "arm64" ? "aarch64" : "x64";
  const denoPlatform = os === "linux" ? `linux-${arch}-glibc` : `darwin-${arch}`;
  const found = {
    bun: path.join(modules, "@oven", `bun-${os}-${bunArch}`, "bin", "bun"),
    deno: path.join(modules, "@deno", denoPlatform, "deno"),
  };
  // Without its interpreter a language fails when it is used, with the runner's own sentence; the others work.
  return { bun: existsSync(found.bun) ? found.bun : "", deno: existsSync(found.deno) ? found.deno : "" };
}

/** The registries that the person at this machine has configured. They go to the stack as settings and are written nowhere else. */
async function readRegistries(tools: PythonTools, go: string): Promise<LocalSettings["registries"]> {
  const npm = npmCommand(process.env, process.execPath);
  const [npmSays, pipSays, goSays] = await Promise.all([
    process.env["npm_config_registry"] ?? ask(npm.file, [...npm.args, "config", "get", "registry", "--loglevel=silent"]),
    process.env["PIP_INDEX_URL"] ?? ask(tools.python, ["-m", "pip", "config", "get", "global.index-url"]),
    process.env["GOPROXY"] ?? ask(go, ["env", "GOPROXY"]),
  ]);
  return { npm: npmSays, pypi: pipSays, go: goSays };
}

async function ask(file: string, args: readonly string[]): Promise<string> {
  const { code, output } = await runCommand(file, args, { cwd: root, timeoutMs: 20_000 });
  const line = output.trim().split("\n").at(-1) ?? "";
  return code === 0 && line !== "undefined" ? line : "";
}

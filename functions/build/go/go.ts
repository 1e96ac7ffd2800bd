import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { BuildRequest } from "../../../core/builds/build.ts";
import { readGoSource } from "../../../core/builds/go-source.ts";
import { goClients } from "../../../core/builds/packages/own-clients.ts";
import { BuildFailure, type BuildSandbox, pickVariables } from "../build-sandbox.ts";
import { copyOwnClient } from "../own-clients.ts";
import { readGoLock, writeGoLock } from "./go-lock.ts";
import { resolveGoPath } from "./go-toolchain.ts";
import { ENTRY_PACKAGE, generateGoProgram, generateGoWrapper } from "./go-wrapper.ts";

/** The name of the module that contains the script. Stack traces show it before the file's name. */
const MODULE = "script";

/**
 * Builds a Go script. Its file becomes package `inner` of a small module, in which `main` may have parameters, together with a generated file
 * that calls it. Only the package name changes, so line numbers stay the same.
 */
export async function buildGo(request: BuildRequest, sandbox: BuildSandbox): Promise<string> {
  const go = await resolveGoPath(sandbox, request.registries.pypi);
  const dir = join(sandbox.dir, "module");
  const source = request.files[request.entry] ?? "";
  const { packageName, functions, imports, required } = readGoSource(source);
  if (!packageName) throw new BuildFailure(`${request.entry}.go: a Go script begins with "package inner".`);
  const inner = join(dir, ENTRY_PACKAGE);
  await mkdir(inner, { recursive: true });
  const renamed = `${source.slice(0, packageName.from)}${ENTRY_PACKAGE}${source.slice(packageName.to)}`;
  // The file has a fixed name, because Go ignores files by their suffix (_test, _windows); the directive restores the original name in
  // messages.
  await writeFile(join(inner, "script.go"), `//line ${request.entry}.go:1:1\n${renamed}`);
  await writeFile(join(inner, "svc_wrapper.go"), generateGoWrapper(functions, `${request.entry}.go`));
  await writeFile(join(dir, "main.go"), generateGoProgram(MODULE));
  const env = buildGoEnv(request, sandbox);
  await turnOffTelemetry(sandbox);
  const run = async (args: string[], failure: string): Promise<void> => {
    const { code, output } = await sandbox.run({ command: go, args, cwd: dir, env });
    if (code !== 0) throw new BuildFailure(`${failure}: ${extractReason(output)}`);
  };
  const { output } = await sandbox.run({ command: go, args: ["version"], cwd: dir, env, quiet: true });
  // Without the patch version, so that a lock works with every toolchain of the same minor version.
  const header = `module ${MODULE}\n\ngo ${/go(\d+\.\d+)/.exec(output)?.[1] ?? "1.24"}\n`;
  const lock = await prepareModule(
    dir,
    header,
    { imports, lock: request.lock, versions: { ...request.dependencies?.entries, ...required } },
    run,
  );
  await run(
    ["build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", join(sandbox.dir, "main"), "."],
    "The script does not compile",
  );
  await rename(join(sandbox.dir, "main"), join(sandbox.out, "main"));
  return lock;
}

type Run = (args: string[], failure: string) => Promise<void>;

/** Writes go.mod and go.sum, and returns the lock. The standard library needs none. */
async function prepareModule(
  dir: string,
  header: string,
  { imports, lock, versions }: { imports: string[]; lock: string | undefined; versions: Record<string, string> },
  run: Run,
): Promise<string> {
  const mod = join(dir, "go.mod");
  const sum = join(dir, "go.sum");
  const clients = goClients.filter((path) => imports.includes(path));
  const client = clients.length > 0 ? await addClient(dir, clients) : "";
  // Imports whose first part is not a host belong to Go's standard library.
  const needed = imports.filter((path) => path.split("/")[0]?.includes(".") && !clients.includes(path));
  if (needed.length === 0) {
    await writeFile(mod, header + client);
    return "";
  }
  if (lock) {
    const moduleFiles = readGoLock(lock, MODULE);
    await writeFile(mod, moduleFiles.mod + client);
    await writeFile(sum, moduleFiles.sum);
    return lock;
  }
  await writeFile(mod, `${header}${client}${writeRequiredVersions(versions)}`);
  await run(["mod", "tidy"], "The modules could not be resolved");
  // Go writes no go.sum for a script without modules.
  return writeGoLock(removeClient(await readFile(mod, "utf8")), await readFile(sum, "utf8").catch(() => ""));
}

/** The folder of the client library next to the script. */
const CLIENT_FOLDER = "svc-client";

/**
 * Adds the client library as a module next to the script's module, and returns its lines for go.mod under the names by which the script imports
 * it. The path is relative, because it is recorded in the binary.
 */
async function addClient(dir: string, names: readonly string[]): Promise<string> {
  await copyOwnClient("go", join(dir, CLIENT_FOLDER));
  return names.map((name) => `require ${name} v0.0.0\nreplace ${name} => ./${CLIENT_FOLDER}\n`).join("");
}

/** The client library is not part of the lock, because every build adds it. */
function removeClient(mod: string): string {
  return mod
    .split("\n")
    .filter(
      (line) =>
        !goClients.includes(
          line
            .trim()
            .replace(/^(require|replace) /, "")
            .split(" ")[0] ?? "",
        ),
    )
    .join("\n");
}

/** Writes the versions that the script requires in comments, and for other modules those of the workspace. The default is the newest. */
function writeRequiredVersions(versions: Record<string, string>): string {
  return Object.entries(versions)
    .map(([module, version]) => `require ${module} ${version}\n`)
    .join("");
}

/**
 * Returns the environment of Go commands. No code of a script or its modules runs during the build: no C compiler, no other toolchain, no
 * version control program. Both caches are shared between builds: modules are verified with go.sum and the checksum database, and compiled
 * packages are keyed by the hash of their inputs.
 */
function buildGoEnv({ target, registries, lock }: BuildRequest, sandbox: BuildSandbox): Record<string, string> {
  return {
    ...pickVariables(["GOPROXY", "GOSUMDB", "GONOSUMDB", "GONOPROXY", "GOPRIVATE", "GOINSECURE"]),
    GOENV: process.env["GOENV"] || join(homedir(), ".config/go/env"),
    ...(registries.go && { GOPROXY: registries.go }),
    CGO_ENABLED: "0",
    GOTOOLCHAIN: "local",
    GOVCS: "*:off",
    GOFLAGS: `${lock ? "-mod=readonly" : "-mod=mod"} -modcacherw`,
    GOWORK: "off",
    GOOS: target.os,
    GOARCH: target.arch === "x64" ? "amd64" : "arm64",
    GOCACHE: join(sandbox.cache, "go-build"),
    GOMODCACHE: join(sandbox.cache, "go-mod"),
    GOPATH: join(sandbox.dir, "go"),
  };
}

/**
 * Go counts its uses in a process that leaves the process group, outlives the build and creates its directory again. Only a file in the
 * settings folder of the home directory turns it off; macOS has another folder.
 */
async function turnOffTelemetry(sandbox: BuildSandbox): Promise<void> {
  for (const settings of [".config", "Library/Application Support"]) {
    const dir = join(sandbox.home, settings, "go", "telemetry");
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, "mode"), "off");
  }
}

/** Returns the compiler's errors with the script's lines, without the messages that Go adds. */
function extractReason(output: string): string {
  const lines = output
    .split("\n")
    .map((line) => line.trim().replace(/^(\.\/)?inner\//, ""))
    .filter((line) => line !== "" && !/^(#|go: (downloading|finding|found|script\/inner imports$))/.test(line));
  return lines.slice(0, 20).join("\n") || "go printed no error message";
}

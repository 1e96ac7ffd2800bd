import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { BuildRequest } from "../../../core/builds/build.ts";
import { readGoSource } from "../../../core/builds/go-source.ts";
import { goClient } from "../../../core/builds/own-clients.ts";
import { BuildFailure, type BuildRoom, passOn } from "../build-room.ts";
import { putOwnClient } from "../own-clients.ts";
import { readGoLock, writeGoLock } from "./go-lock.ts";
import { goPath } from "./go-toolchain.ts";
import { ENTRY_PACKAGE, goProgram, goWrapper } from "./go-wrapper.ts";

/** Name of the module that a script becomes; stack traces show it before the file's name. */
const MODULE = "script";

/**
 * The script's file becomes package `inner` of a small module, where `main` may have parameters, next to a generated file that calls it.
 * Nothing but the package's name changes in it, so lines stay what they are.
 */
export async function buildGo(request: BuildRequest, room: BuildRoom): Promise<string> {
  const go = await goPath(room, request.registries.pypi);
  const dir = join(room.dir, "module");
  const source = request.files[request.entry] ?? "";
  const { packageName, functions, imports } = readGoSource(source);
  if (!packageName) throw new BuildFailure(`${request.entry}.go: a Go script begins with "package inner".`);
  const inner = join(dir, ENTRY_PACKAGE);
  await mkdir(inner, { recursive: true });
  const renamed = `${source.slice(0, packageName.from)}${ENTRY_PACKAGE}${source.slice(packageName.to)}`;
  // The file has a fixed name, because Go leaves out files by what theirs ends with (_test, _windows); the directive gives it its own back.
  await writeFile(join(inner, "script.go"), `//line ${request.entry}.go:1:1\n${renamed}`);
  await writeFile(join(inner, "svc_wrapper.go"), goWrapper(functions, `${request.entry}.go`));
  await writeFile(join(dir, "main.go"), goProgram(MODULE));
  const env = goEnv(request, room);
  await turnOffTelemetry(room);
  const run = async (args: string[], failure: string): Promise<void> => {
    const { code, output } = await room.run({ command: go, args, cwd: dir, env });
    if (code !== 0) throw new BuildFailure(`${failure}: ${reasonIn(output)}`);
  };
  const { output } = await room.run({ command: go, args: ["version"], cwd: dir, env, quiet: true });
  // Without the patch: a lock made by one works with every other of the same version.
  const header = `module ${MODULE}\n\ngo ${/go(\d+\.\d+)/.exec(output)?.[1] ?? "1.24"}\n`;
  const lock = await prepareModule(dir, header, { imports, source, lock: request.lock }, run);
  await run(["build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", join(room.dir, "main"), "."], "The script does not compile");
  await rename(join(room.dir, "main"), join(room.out, "main"));
  return lock;
}

type Run = (args: string[], failure: string) => Promise<void>;

/** Writes go.mod and go.sum; the standard library needs no lock. */
async function prepareModule(
  dir: string,
  header: string,
  { imports, source, lock }: { imports: string[]; source: string; lock: string | undefined },
  run: Run,
): Promise<string> {
  const mod = join(dir, "go.mod");
  const sum = join(dir, "go.sum");
  const client = imports.includes(goClient) ? await putClient(dir) : "";
  // The first part of an import names a host, unless it is Go's own.
  const needed = imports.filter((path) => path.split("/")[0]?.includes("."));
  if (needed.length === 0) {
    await writeFile(mod, header + client);
    return "";
  }
  if (lock) {
    const given = readGoLock(lock, MODULE);
    await writeFile(mod, given.mod + client);
    await writeFile(sum, given.sum);
    return lock;
  }
  await writeFile(mod, `${header}${client}${requiredVersions(source)}`);
  await run(["mod", "tidy"], "The modules could not be resolved");
  // Go writes no go.sum for a script without modules.
  return writeGoLock(withoutClient(await readFile(mod, "utf8")), await readFile(sum, "utf8").catch(() => ""));
}

/** The client library as a module beside the script's, and the lines of go.mod that name it: relative, since they end up in the binary. */
async function putClient(dir: string): Promise<string> {
  await putOwnClient("go", join(dir, goClient));
  return `require ${goClient} v0.0.0\nreplace ${goClient} => ./${goClient}\n`;
}

/** What a lock says of it is nothing: the build has it. */
function withoutClient(mod: string): string {
  return mod
    .split("\n")
    .filter((line) => !new RegExp(`^\\s*((require|replace) )?${goClient} `).test(line))
    .join("\n");
}

/** `//require github.com/owner/name v1.2.3` in the script asks for a version; else it is the newest. */
function requiredVersions(source: string): string {
  const lines = source.matchAll(/^\/\/\s*require\s+([\w./~-]+)\s+(v[\w.+-]+)\s*$/gm);
  return [...lines].map(([, module, version]) => `require ${module} ${version}\n`).join("");
}

/**
 * Nothing of a script or its modules runs here: no C compiler, no other toolchain, no version control program. Both caches are shared between
 * builds: modules are checked against go.sum and the checksum database, compiled packages are keyed by the hash of all that went into them.
 */
function goEnv({ target, registries, lock }: BuildRequest, room: BuildRoom): Record<string, string> {
  return {
    ...passOn(["GOPROXY", "GOSUMDB", "GONOSUMDB", "GONOPROXY", "GOPRIVATE", "GOINSECURE"]),
    GOENV: process.env["GOENV"] || join(homedir(), ".config/go/env"),
    ...(registries.go && { GOPROXY: registries.go }),
    CGO_ENABLED: "0",
    GOTOOLCHAIN: "local",
    GOVCS: "*:off",
    GOFLAGS: `${lock ? "-mod=readonly" : "-mod=mod"} -modcacherw`,
    GOWORK: "off",
    GOOS: target.os,
    GOARCH: target.arch === "x64" ? "amd64" : "arm64",
    GOCACHE: join(room.cache, "go-build"),
    GOMODCACHE: join(room.cache, "go-mod"),
    GOPATH: join(room.dir, "go"),
  };
}

/**
 * Go counts its uses by a process that leaves the group, outlives the build and makes its directory again. Only a file turns that off, in the
 * home's folder for settings, which macOS has elsewhere.
 */
async function turnOffTelemetry(room: BuildRoom): Promise<void> {
  for (const settings of [".config", "Library/Application Support"]) {
    const dir = join(room.home, settings, "go", "telemetry");
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, "mode"), "off");
  }
}

/** Compiler errors name the script's lines; what go adds around them says nothing about it. */
function reasonIn(output: string): string {
  const lines = output
    .split("\n")
    .map((line) => line.trim().replace(/^(\.\/)?inner\//, ""))
    .filter((line) => line !== "" && !/^(#|go: (downloading|finding|found|script\/inner imports$))/.test(line));
  return lines.slice(0, 20).join("\n") || "go gave no reason";
}

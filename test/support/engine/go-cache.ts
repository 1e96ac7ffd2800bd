import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { svcDir } from "../../../engine/paths.ts";

/** Compiled Go packages of all test runs. Each is keyed by the hash of its inputs, and Go removes those that were not used for days. */
const goCacheDir = path.join(svcDir, "test-go-build");

/**
 * Lets the build function that works in `workDir` use the compiled packages of all test runs: an empty cache costs a minute of CPU time for the
 * standard library. Call it before the first build.
 */
export function shareGoCache(workDir: string): void {
  const cache = path.join(workDir, "cache");
  for (const dir of [goCacheDir, cache]) mkdirSync(dir, { recursive: true, mode: 0o700 });
  symlinkSync(goCacheDir, path.join(cache, "go-build"));
}

/** Environment of Go programs that tests compile themselves. The flags are those of the build function, so that compiled packages fit both. */
export const goTestEnv = {
  GOTOOLCHAIN: "local",
  GOPROXY: "off",
  GOCACHE: goCacheDir,
  GOFLAGS: "-trimpath -buildvcs=false",
  CGO_ENABLED: "0",
};

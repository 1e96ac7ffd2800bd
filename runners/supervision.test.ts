import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Runner, startRunner } from "./conformance/harness.ts";
import { removeLeftovers } from "./shared/process/child.ts";
import { emptyDirectory } from "./shared/process/tmp.ts";

/** Behaviour of the Node-hosted supervisor only; runners/conformance/ contains the behaviour that both supervisors share. */
describe("the Node-hosted supervisor", () => {
  let runner: Runner;
  beforeAll(async () => {
    runner = await startRunner("bash");
  });
  afterAll(() => runner.close());

  it("the supervisor runs jobs side by side without mixing them", async () => {
    const outcomes = await Promise.all(
      [1, 2, 3, 4].map((i) => runner.run({ code: "for n in 1 2 3; do echo $1; done", params: ["i"], args: { i } })),
    );
    expect(outcomes.map(({ logs }) => logs.text)).toEqual([1, 2, 3, 4].map((i) => `${i}\n`.repeat(3)));
  });

  it("the supervisor removes the files that a killed one left", async () => {
    const directory = join(runner.workDir, "jobs", "4194303-1-left");
    mkdirSync(directory);
    writeFileSync(join(directory, "x"), "");
    const mine = readdirSync(join(runner.workDir, "pipes"));
    removeLeftovers();
    expect(existsSync(directory)).toBe(false);
    expect(readdirSync(join(runner.workDir, "pipes"))).toEqual(mine);
  });

  it("the supervisor sweeps a directory except for the part that it keeps", () => {
    const root = mkdtempSync(join(runner.workDir, "sweep-"));
    mkdirSync(join(root, "svc", "artefacts"), { recursive: true });
    mkdirSync(join(root, "user", "deep"), { recursive: true });
    writeFileSync(join(root, "file"), "");
    writeFileSync(join(root, "svc", "artefacts", "kept"), "");
    emptyDirectory(root, [join(root, "svc")]);
    expect(readdirSync(root, { recursive: true }).sort()).toEqual(["svc", "svc/artefacts", "svc/artefacts/kept"]);
  });
});

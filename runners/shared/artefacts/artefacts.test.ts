import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Runner, startRunner } from "../../conformance/harness.ts";
import { settings } from "../settings.ts";
import { evictArtefacts, loadArtefact, unpack } from "./artefacts.ts";

describe("artefacts", () => {
  let runner: Runner;
  beforeAll(async () => {
    runner = await startRunner("bash");
  });
  afterAll(() => runner.close());

  const cache = () => join(settings().workDir, "artefacts");

  it("an artefact is downloaded once and unpacked with its folders, without partial leftovers", async () => {
    const { artefact } = runner.request({ files: { "main.mjs": "x", "deps/a/b.txt": "deep" } });
    const before = runner.downloads;
    const directories = await Promise.all([1, 2, 3].map(() => loadArtefact(artefact, Date.now())));
    expect(new Set(directories).size).toBe(1);
    expect(existsSync(join(directories[0] ?? "", "deps/a/b.txt"))).toBe(true);
    await loadArtefact(artefact, Date.now());
    expect(runner.downloads).toBe(before + 1);
    expect(readdirSync(cache()).filter((name) => !/^[0-9a-f]{64}(\.size)?$/.test(name))).toEqual([]);
  });

  it("an artefact with another hash is rejected", async () => {
    const { artefact } = runner.request({ files: { "main.mjs": "true" } });
    runner.artefacts.set(artefact.sha256, zipSync({ "main.mjs": strToU8("false") }));
    await expect(loadArtefact(artefact, Date.now())).rejects.toThrow("is damaged");
    expect(existsSync(join(cache(), artefact.sha256))).toBe(false);
  });

  it("an artefact that cannot be downloaded fails the run, and the error omits its URL", async () => {
    const request = runner.request({ code: "true" });
    runner.artefacts.clear();
    const outcome = await runner.send(request);
    expect(outcome).toMatchObject({
      outcome: "failure",
      error: { name: "ArtefactError", message: "The artefact could not be downloaded: HTTP 404." },
    });
    expect(JSON.stringify(outcome)).not.toContain("secret-signature");
  });

  it.each(["../out.txt", "/out.txt", "a/../../out.txt", "..\\out.txt"])("an artefact cannot write outside its directory: %s", (name) => {
    const target = join(cache(), "..", `slip-${createHash("sha256").update(name).digest("hex").slice(0, 8)}`);
    expect(() => unpack(zipSync({ [name]: strToU8("x") }), target)).toThrow("outside its directory");
    expect(existsSync(target)).toBe(false);
  });

  it("a large artefact is unpacked in parts", () => {
    const large = new Uint8Array(20 * 1024 * 1024);
    const target = join(cache(), "..", "large");
    expect(unpack(zipSync({ a: large, b: large, c: large, "d/e": strToU8("x") }, { level: 1 }), target)).toBe(3 * large.length + 1);
    expect(readdirSync(target).sort()).toEqual(["a", "b", "c", "d"]);
  });

  it("a full cache evicts the least recently used artefact, except those in use and those that others used recently", () => {
    const nowMs = Date.now();
    const make = (digit: string, ageMs: number) => {
      const directory = join(cache(), digit.repeat(64));
      mkdirSync(directory);
      writeFileSync(`${directory}.size`, "100");
      utimesSync(`${directory}.size`, (nowMs - ageMs) / 1000, (nowMs - ageMs) / 1000);
      return directory;
    };
    const hour = 3_600_000;
    const [inUse, oldest, older, recent] = [make("a", 9 * hour), make("b", 8 * hour), make("c", 7 * hour), make("d", 1000)];
    evictArtefacts(new Set([inUse]), nowMs, 350);
    expect([inUse, oldest, older, recent].map(existsSync)).toEqual([true, false, true, true]);
    evictArtefacts(new Set([inUse]), nowMs, 50);
    expect([inUse, older, recent].map(existsSync)).toEqual([true, false, true]);
  });
});

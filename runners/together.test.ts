import { createHash } from "node:crypto";
import { zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Runner, startRunner } from "./conformance/harness.ts";
import { type NextRun, nextArguments, type RunOutcome, type RunRequest } from "./protocol.ts";

/** A call of several runs: the first one's code is the others' too. */
async function run(runner: Runner, code: string, runs: Partial<NextRun>[], more: Partial<RunRequest> = {}): Promise<RunOutcome> {
  const own = runner.request({ code, params: ["n"], args: { n: 1 }, dedicated: true, together: true, ...more });
  const { artefact, params, timeoutMs } = own;
  const next = {
    withinMs: 60_000,
    resultUrl: own.resultUrl.replace(/[^/]*$/, "of-a-later-run"),
    runs: runs.map((following) => ({ artefact, params, timeoutMs, args: {}, env: {}, ...following })),
  };
  return runner.send({ ...own, next });
}
const results = (outcome: RunOutcome) => [outcome.result, ...(outcome.next ?? []).map(({ result }) => result)];

describe.each(["bun", "nodejs", "deno"] as const)("runs of one call in %s", (language) => {
  let runner: Runner;
  beforeAll(async () => {
    runner = await startRunner(language);
  });
  afterAll(() => runner.close());

  it("share a process, and have arguments, environment, output and times of their own", async () => {
    const code = `import { readdirSync } from "node:fs";
      globalThis.ran = 0;
      export const main = (n) => { console.log("n is", n, process.env.NAME); return { ran: ++globalThis.ran, n, files: readdirSync(".") }; };`;
    const outcome = await run(runner, code, [
      { args: { n: { of: 0, path: ["ran"] } }, env: { NAME: "second" } },
      { args: { n: { value: [3] } }, env: { NAME: "third" } },
      { args: { n: { of: 2, path: ["n", "0"] } } },
    ]);
    const files = ["tmp"];
    expect(results(outcome)).toEqual([
      { ran: 1, n: 1, files },
      { ran: 2, n: 1, files },
      { ran: 3, n: [3], files },
      { ran: 4, n: 3, files },
    ]);
    expect(outcome.next?.map(({ logs }) => logs.text)).toEqual([
      "n is 1 second\n",
      expect.stringContaining("third\n"),
      "n is 3 undefined\n",
    ]);
    for (const { startedAtMs, endedAtMs } of outcome.next ?? []) expect(endedAtMs).toBeGreaterThanOrEqual(startedAtMs);
  });

  it("end behind one that fails, and where arguments are not to be known", async () => {
    const code = "export const main = (n) => { if (n === 2) throw new Error('two'); return n; };";
    const value = (n: unknown) => ({ args: { n: { value: n } } });
    const failed = await run(runner, code, [value(3), value(2), value(4)]);
    expect(failed.next?.map(({ outcome }) => outcome)).toEqual(["success", "failure"]);
    expect(failed.next?.[1]?.error).toMatchObject({ message: "two" });
    const unknown = await run(runner, code, [value("five"), { args: { n: { of: 1, path: ["length"] } } }, value(6)]);
    expect(results(unknown)).toEqual([1, "five"]);
    expect((await run(runner, code, [value(3)], { args: { n: 2 } })).next).toBeUndefined();
  });

  it("end when their time is over, or a result is too large for the answer, which is stored", async () => {
    const code = "export const main = (n) => 'x'.repeat(n);";
    const large = await run(runner, code, [{ args: { n: { value: 2_000_000 } } }, {}]);
    expect(large.next).toEqual([expect.objectContaining({ outcome: "success", resultUploaded: { bytes: 2_000_002 } })]);
    expect(runner.uploads.get("of-a-later-run")?.body).toHaveLength(2_000_002);
    const request = runner.request({ code, params: ["n"], args: { n: 1 } });
    const { artefact, params, timeoutMs, resultUrl } = request;
    const late = { runs: [{ artefact, params, timeoutMs, args: {}, env: {} }], withinMs: 0, resultUrl };
    expect((await runner.send({ ...request, next: late })).next).toBeUndefined();
  });

  it("have one folder ./shared, whose files are kept once when they have changed", async () => {
    const before = zipSync({ "deep/words": Buffer.from("before ") });
    const sha256 = createHash("sha256").update(before).digest("hex");
    runner.artefacts.set(sha256, before);
    const code = `import { appendFileSync, readFileSync } from "node:fs";
      export const main = (n) => { if (n) appendFileSync("shared/deep/words", n + " "); return readFileSync("shared/deep/words", "utf8"); };`;
    const own = runner.request({ code });
    const url = own.artefact.url.replace(own.artefact.sha256, sha256);
    const shared = { archive: { url, sha256 }, putUrl: own.resultUrl.replace(own.job, "folder"), maxBytes: 1000 };
    const read = await runner.run({ code, shared, params: ["n"], args: {} });
    expect([read.result, read.shared]).toEqual(["before ", undefined]);
    const written = await run(runner, code, [{ args: { n: { value: "two" } } }], { shared });
    expect(results(written)).toEqual(["before 1 ", "before 1 two "]);
    expect(written.shared).toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const large = await run(runner, code, [{ args: { n: { value: "x".repeat(1000) } } }], { shared });
    expect(large.next?.[0]?.error).toMatchObject({ name: "SharedFolderError" });
  });
});

describe("the arguments of a run that follows", () => {
  const results = [{ a: [{ b: 1 }], text: "x", nothing: null, reference: ["$res:f/ops/db"] }];
  it.each([
    [["a", "0", "b"], { n: 1 }],
    [["nothing", "more"], { n: null }],
    [["missing"], undefined],
    [["text", "length"], undefined],
    [["reference"], undefined],
  ] as const)("%j", (path, expected) => {
    expect(nextArguments({ n: { of: 0, path: [...path] } }, results)).toEqual(expected);
  });
});

import { createHash } from "node:crypto";
import { zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type NextRun, nextArguments, type RunOutcome, type RunRequest } from "../protocol.ts";
import { type Runner, startRunner } from "./harness.ts";
import { batches } from "./programs.ts";

const languages = Object.keys(batches) as (keyof typeof batches)[];
const results = (outcome: RunOutcome) => [outcome.result, ...(outcome.next ?? []).map(({ result }) => result)];
const value = (n: unknown) => ({ args: { n: { value: n } } });

/** Sends several runs of one script in one call. */
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

describe.each(languages)("runs of one call in %s", (language) => {
  const programs = batches[language];
  let runner: Runner;
  beforeAll(async () => {
    runner = await startRunner(language);
  });
  afterAll(() => runner.close());

  it("each run has its own arguments, environment, directory, output and times", async () => {
    const outcome = await run(runner, programs.own, [
      { args: { n: { of: 0, path: ["ran"] } }, env: { NAME: "second" } },
      { ...value([3]), env: { NAME: "third" } },
      { args: { n: { of: 2, path: ["n", "0"] } } },
    ]);
    const files = ["tmp"];
    const ran = programs.sharesModule ? [1, 2, 3, 4] : [1, 1, 1, 1];
    expect(results(outcome)).toEqual([1, 1, [3], 3].map((n, index) => ({ ran: ran[index], n, files })));
    expect(outcome.next?.map(({ logs }) => logs.text)).toEqual(["n is 1 second\n", "n is [3] third\n", "n is 3 -\n"]);
    expect(outcome.next).toHaveLength(3);
    for (const { startedAtMs, endedAtMs } of outcome.next ?? []) {
      expect(Number.isInteger(startedAtMs)).toBe(true);
      expect(endedAtMs).toBeGreaterThanOrEqual(startedAtMs);
    }
  });

  it("no run follows a failed one", async () => {
    const failed = await run(runner, programs.failAtTwo, [value(3), value(2), value(4)]);
    expect(failed.next?.map(({ outcome }) => outcome)).toEqual(["success", "failure"]);
    expect(failed.next?.[1]?.error).toMatchObject({ message: "two" });
    expect((await run(runner, programs.failAtTwo, [value(3)], { args: { n: 2 } })).next).toBeUndefined();
  });

  it.each([[["nothing"]], [["a", "1"]], [["a", "x"]], [["text", "length"]], [["reference"]]])(
    "no run begins if only the executor can resolve its argument %j",
    async (path) => {
      const returned = { a: [1], text: "x", reference: "$var:f/a" };
      const outcome = await run(runner, programs.failAtTwo, [value(returned), { args: { n: { of: 1, path } } }, value(6)]);
      expect(results(outcome)).toEqual([1, returned]);
    },
  );

  it("no run follows a result that is too large for the reply and therefore uploaded", async () => {
    const large = await run(runner, programs.text, [value(2_000_000), value(1)]);
    expect(large.next).toEqual([expect.objectContaining({ outcome: "success", resultUploaded: { bytes: 2_000_002 } })]);
    expect(runner.uploads.get("of-a-later-run")?.body).toHaveLength(2_000_002);
  });

  it("no run begins after the time limit of the call", async () => {
    const request = runner.request({ code: programs.text, params: ["n"], args: { n: 1 } });
    const { artefact, params, timeoutMs, resultUrl } = request;
    const late = { runs: [{ artefact, params, timeoutMs, args: {}, env: {} }], withinMs: 0, resultUrl };
    expect((await runner.send({ ...request, next: late })).next).toBeUndefined();
  });

  it("the runs share one folder ./shared, which is uploaded once if its files have changed", async () => {
    const before = zipSync({ "deep/words": Buffer.from("before ") });
    const sha256 = createHash("sha256").update(before).digest("hex");
    runner.artefacts.set(sha256, before);
    const own = runner.request({ code: programs.append });
    const url = own.artefact.url.replace(own.artefact.sha256, sha256);
    const shared = { archive: { url, sha256 }, putUrl: own.resultUrl.replace(own.job, "folder"), maxBytes: 1000 };
    const read = await runner.run({ code: programs.append, shared, params: ["n"], args: {} });
    expect([read.result, read.shared]).toEqual(["before ", undefined]);
    const written = await run(runner, programs.append, [value("two")], { shared });
    expect(results(written)).toEqual(["before 1 ", "before 1 two "]);
    expect(written.shared).toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const large = await run(runner, programs.append, [value("x".repeat(1000))], { shared });
    expect(large.next?.[0]?.error).toMatchObject({ name: "SharedFolderError" });
    const damaged = await runner.run({ code: programs.append, shared: { ...shared, archive: { url, sha256: "0".repeat(64) } } });
    expect(damaged.error).toMatchObject({ name: "SharedFolderError" });
  });
});

describe("nextArguments", () => {
  const results = [{ a: [{ b: 1 }], text: "x", nothing: null, reference: ["$res:f/ops/db"] }];
  it.each([
    [["a", "0", "b"], { n: 1 }],
    [["nothing", "more"], { n: null }],
    [["missing"], undefined],
    [["text", "length"], undefined],
    [["reference"], undefined],
  ] as const)("the function resolves the path %j", (path, expected) => {
    expect(nextArguments({ n: { of: 0, path: [...path] } }, results)).toEqual(expected);
  });
});

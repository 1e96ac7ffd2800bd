import { createHash } from "node:crypto";
import { zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Runner, startRunner } from "../conformance/harness.ts";
import type { NextRun, RunOutcome, RunRequest } from "../protocol.ts";

let runner: Runner;
beforeAll(async () => {
  runner = await startRunner("python3");
});
afterAll(() => runner.close());

/** A call of several runs of one code. */
async function run(code: string, runs: Partial<NextRun>[], more: Partial<RunRequest> = {}): Promise<RunOutcome> {
  const own = runner.request({ code, params: ["n"], args: { n: 1 }, dedicated: true, together: true, ...more });
  const { artefact, params, timeoutMs } = own;
  const following = runs.map((next) => ({ artefact, params, timeoutMs, args: {}, env: {}, ...next }));
  const resultUrl = own.resultUrl.replace(/[^/]*$/, "of-a-later-run");
  return runner.send({ ...own, next: { withinMs: 60_000, resultUrl, runs: following } });
}
const results = (outcome: RunOutcome) => [outcome.result, ...(outcome.next ?? []).map(({ result }) => result)];
const value = (n: unknown) => ({ args: { n: { value: n } } });

describe("runs of one call in Python", () => {
  it("have arguments, environment and output of their own, and nothing of each other's module", async () => {
    const code = `
import os
ran = 0
def main(n):
    global ran
    ran += 1
    print("n is", n, os.environ.get("NAME"))
    return {"ran": ran, "n": n}`;
    const outcome = await run(code, [
      { args: { n: { of: 0, path: ["ran"] } }, env: { NAME: "second" } },
      value([3]),
      { args: { n: { of: 2, path: ["n", "0"] } } },
    ]);
    expect(results(outcome)).toEqual([1, 1, [3], 3].map((n) => ({ ran: 1, n })));
    expect(outcome.next?.every(({ startedAtMs, endedAtMs }) => Number.isInteger(startedAtMs) && endedAtMs >= startedAtMs)).toBe(true);
    expect(outcome.next?.map(({ logs }) => logs.text)).toEqual(["n is 1 second\n", "n is [3] None\n", "n is 3 None\n"]);
  });

  it("end behind one that fails, and where arguments are not to be known", async () => {
    const code = `
def main(n):
    if n == 2: raise ValueError("two")
    return n`;
    const failed = await run(code, [value(3), value(2), value(4)]);
    expect(failed.next?.map(({ outcome }) => outcome)).toEqual(["success", "failure"]);
    const unknown = [["nothing"], ["a", "1"], ["a", "x"], ["text", "length"], ["reference"]];
    for (const path of unknown) {
      const outcome = await run(code, [value({ a: [1], text: "x", reference: "$var:f/a" }), { args: { n: { of: 1, path } } }]);
      expect(outcome.next).toHaveLength(1);
    }
    expect((await run(code, [value(3)], { args: { n: 2 } })).next).toBeUndefined();
  });

  it("end behind a result that is too large for the answer, which is stored", async () => {
    const large = await run("def main(n): return 'x' * n", [value(2_000_000), value(1)], { maxResultBytes: 50_000_000 });
    expect(large.next).toEqual([expect.objectContaining({ outcome: "success", resultUploaded: { bytes: 2_000_002 } })]);
    expect(runner.uploads.get("of-a-later-run")?.body).toHaveLength(2_000_002);
  });

  it("have one folder ./shared, whose files are kept once when they have changed", async () => {
    const before = zipSync({ "deep/words": Buffer.from("before ") });
    const sha256 = createHash("sha256").update(before).digest("hex");
    runner.artefacts.set(sha256, before);
    const code = `
def main(n=None):
    if n:
        with open("shared/deep/words", "a") as file: file.write(f"{n} ")
    return open("shared/deep/words").read()`;
    const own = runner.request({ code });
    const url = own.artefact.url.replace(own.artefact.sha256, sha256);
    const shared = { archive: { url, sha256 }, putUrl: own.resultUrl.replace(/[^/?]*(\?|$)/, "folder$1"), maxBytes: 1000 };
    const read = await runner.run({ code, shared, params: ["n"], args: {} });
    expect([read.result, read.shared]).toEqual(["before ", undefined]);
    const written = await run(code, [value("two")], { shared });
    expect(results(written)).toEqual(["before 1 ", "before 1 two "]);
    expect(written.shared).toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const large = await run(code, [value("x".repeat(1000))], { shared });
    expect(large.next?.[0]?.error).toMatchObject({ name: "SharedFolderError" });
    const damaged = await runner.run({ code, shared: { ...shared, archive: { url, sha256: "0".repeat(64) } } });
    expect(damaged.error).toMatchObject({ name: "SharedFolderError" });
  });
});

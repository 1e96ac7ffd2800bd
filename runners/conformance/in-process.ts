import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunnerLanguage } from "../../contract/languages.ts";
import { type Runner, startRunner } from "./harness.ts";
import type { InProcessPrograms } from "./programs.ts";

const NOT_CHECKED = "The service could not check the arguments that the preprocessor returned";
const invalid = (message: string) => ({ outcome: "failure", error: { name: "ValidationError", message } });

/** Registers the tests of the features that svc's wrappers share: preprocessors, dedicated runs, and results that a script cannot forge. */
export function describeInProcess(language: RunnerLanguage, programs: InProcessPrograms): void {
  describe(`the wrapper of ${language}`, () => {
    let runner: Runner;
    beforeAll(async () => {
      runner = await startRunner(language);
    });
    afterAll(() => runner.close());

    it("the wrapper does not read printed text as a result", async () => {
      const printed = '{"ok":true,"result":"forged"}\n{"idle":true}\n';
      expect(await runner.run({ code: programs.forge })).toMatchObject({ result: "real", logs: { offset: 0, text: printed } });
    });

    describe("preprocessors", () => {
      const args = { event: { kind: "webhook", raw_string: '{"n":1}', query: { a: "b" }, headers: {} }, extra: "x" };
      const preprocessor = { params: null };

      it.each([false, true])(
        "a preprocessor runs first; its result becomes main's arguments and is part of the outcome (dedicated: %s)",
        async (dedicated) => {
          // The order of the parameters differs from that of the preprocessor's result.
          const params = ["n", "query", "extra"];
          const outcome = await runner.run({ code: programs.preprocess, args, preprocessor, params, dedicated });
          expect(outcome).toMatchObject({ outcome: "success", result: [2, { a: "b" }, "x"] });
          expect(outcome.preprocessed).toEqual({ n: 2, extra: "x", query: { a: "b" } });
          expect(outcome.logs.text).toBe("first\nsecond\n");
        },
      );

      it("a preprocessor that throws fails the run before main runs", async () => {
        const outcome = await runner.run({ code: programs.failInPreprocessor, args, preprocessor });
        expect(outcome).toMatchObject({
          outcome: "failure",
          error: { name: programs.preprocessorError, message: "The preprocessor failed: bad signature" },
          logs: { text: "" },
        });
        expect(outcome.preprocessed).toBeUndefined();
      });

      it.each<[string, ReturnType<Runner["onCheck"]>[], object]>([
        ["runs main if the arguments match", [{}], { outcome: "success", logs: { text: "first\nsecond\n" } }],
        ["asks again if the service does not answer", [503, {}], { outcome: "success" }],
        [
          "fails with the problem before main runs",
          [{ problem: "n: is missing." }],
          { ...invalid("n: is missing."), logs: { text: "first\n" } },
        ],
        ["fails if the service refuses the question", [409], invalid(`${NOT_CHECKED}: status 409.`)],
        ["fails if the service never answers", [500, 500, 500], invalid(`${NOT_CHECKED}: no answer.`)],
      ])("a preprocessor whose result is checked %s", async (_, replies, expected) => {
        const asked: unknown[] = [];
        runner.onCheck = ({ args: checkedArgs, authorization }) => {
          asked.push([checkedArgs, authorization]);
          return replies[asked.length - 1] ?? 400;
        };
        const checked = { ...preprocessor, checks: true as const };
        const outcome = await runner.run({
          code: programs.preprocess,
          args,
          preprocessor: checked,
          token: "t",
          params: ["n", "query", "extra"],
        });
        const newArgs = { n: 2, extra: "x", query: { a: "b" } };
        expect(outcome).toMatchObject({ preprocessed: newArgs, ...expected });
        expect(asked).toEqual(replies.map(() => [newArgs, "Bearer t"]));
      });

      it("the arguments from a preprocessor are part of the outcome even if main fails or does not end", async () => {
        const failed = await runner.run({ code: programs.failAfterPreprocessor, args, preprocessor });
        expect(failed).toMatchObject({ outcome: "failure", preprocessed: { a: 1 }, error: { message: "later" } });
        const stopped = await runner.run({ code: programs.waitAfterPreprocessor, args, preprocessor, timeoutMs: 500 });
        expect(stopped).toMatchObject({ outcome: "timeout", preprocessed: { a: 1 } });
      });
    });

    describe("the module of a dedicated script", () => {
      const run = (name: string, { what = "", hostKey = "dedicated" } = {}) =>
        runner.run({ code: programs.countRuns, args: { what }, params: ["what"], dedicated: true, hostKey, env: { NAME: name } });

      it("the next run reuses the module and has its own environment and directory", async () => {
        const [first, second] = [await run("a"), await run("b")];
        expect(first).toMatchObject({ result: [1, "a", ["tmp"]], logs: { text: "run 1\n" }, timings: { freshHost: true } });
        expect(second).toMatchObject({ result: [2, "b", ["tmp"]], logs: { text: "run 2\n" }, timings: { freshHost: false } });
      });

      it("a run after a failure reuses the module, and a run after an exit loads it again", async () => {
        await run("a");
        const { result: before } = (await run("a")) as { result: [number] };
        expect(await run("b", { what: "throw" })).toMatchObject({ outcome: "failure", error: { message: "x" } });
        expect(await run("c")).toMatchObject({ result: [before[0] + 1, "c", ["tmp"]] });
        expect(await run("d", { what: "exit" })).toMatchObject({ outcome: "failure", error: { exit_code: 3 } });
        expect(await run("e")).toMatchObject({ result: [1, "e", ["tmp"]] });
      });

      it("a module is reused only for its own key", async () => {
        await run("a");
        expect(await run("b", { hostKey: "other" })).toMatchObject({ result: [1, "b", ["tmp"]] });
      });
    });
  });
}

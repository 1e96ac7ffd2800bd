import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { flow, runFlow, saveFlow } from "../../support/flows/flow.ts";
import { until } from "../../support/until.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const { step, each, identity } = flow;
const inline = (id: string, language: string, content: string, more: object = {}) => ({
  id,
  value: { type: "rawscript", language, content, input_transforms: {} },
  ...more,
});

/** Appends a word to the file, and yields what it holds then. */
const append = {
  bun: (id: string) =>
    inline(
      id,
      "bun",
      `import { appendFileSync, readFileSync } from "node:fs";
export const main = () => { appendFileSync("./shared/words", "${id} "); return readFileSync("./shared/words", "utf8"); };`,
    ),
  python3: (id: string) =>
    inline(
      id,
      "python3",
      `def main():
    with open("./shared/words", "a") as file: file.write("${id} ")
    return open("./shared/words").read()`,
    ),
  bash: (id: string) => inline(id, "bash", `printf '${id} ' >> ./shared/words\ncat ./shared/words > result.out`),
};

describe("the folder ./shared", () => {
  it("is shared by all steps of a flow with same_worker, in any language, in loops, branches and the failure module", async () => {
    const job = await runFlow(ws, {
      same_worker: true,
      modules: [
        append.bun("a"),
        append.python3("b"),
        append.bash("c"),
        each("l", "[1, 2]", [append.bun("d")]),
        flow.one("o", [["true", [append.python3("e")]]]),
        flow.fail("f"),
      ],
      failure_module: { ...append.bash("failure") },
    });
    expect(job).toMatchObject({ success: false, result: "a b c d d e failure " });
  });

  it("is shared by the segments of one list of modules only", async () => {
    const together = <T extends object>(module: T) => ({ ...module, segment: true });
    const job = await runFlow(ws, [
      together(append.bun("a")),
      together(append.bun("b")),
      inline("other", "bash", "test -e shared && echo there || echo none"),
      each("l", "[1, 2]", [together(append.bun("c")), together(append.bash("d"))], { parallel: true }),
      together(append.python3("e")),
      identity("end"),
      step("all", "[results.b, results.other, results.l, results.e]"),
    ]);
    expect(job["result"]).toEqual(["a b ", "none", ["c d ", "c d "], "a b e "]);
  });

  it("keeps the files of a failed attempt, drops removed files, and may contain binary files", async () => {
    const job = await runFlow(ws, {
      same_worker: true,
      modules: [
        inline(
          "a",
          "bash",
          "mkdir -p shared/deep; head -c 100000 /dev/zero > shared/deep/zeros; touch shared/gone; ln -s /etc/passwd shared/link; echo made",
        ),
        inline("b", "bash", "if [ -e shared/tried ]; then echo again; else touch shared/tried; exit 1; fi", {
          retry: { constant: { attempts: 1, seconds: 0 } },
        }),
        inline("c", "bash", "rm shared/gone; echo removed"),
        inline(
          "d",
          "bash",
          "cd shared; find . -type f -size +0 -o -type l -o -name tried -o -name gone | sort | tr '\\n' ' '; wc -c < deep/zeros",
        ),
      ],
    });
    expect(job["result"]).toBe("./deep/zeros ./tried 100000");
  });

  it("fails the step that makes it too large", async () => {
    const big = inline("a", "bash", "head -c 70000000 /dev/zero > shared/zeros");
    expect(await runFlow(ws, { same_worker: true, modules: [big] })).toMatchObject({
      success: false,
      result: { error: { name: "SharedFolderError", message: expect.stringContaining("64 MB"), step_id: "a" } },
    });
  });
});

describe("a segment", () => {
  it("has a job for each step, as the steps of other flows have", async () => {
    const job = await runFlow(ws, { same_worker: true, modules: [step("a", "1"), each("l", "[1, 2]", [step("b", "2")])] });
    const { id, flow_status: status } = job as { id: string; flow_status: { modules: { id: string; type: string }[] } };
    expect(status.modules).toMatchObject([
      { id: "a", type: "Success" },
      { id: "l", type: "Success", flow_jobs: [expect.any(String), expect.any(String)] },
    ]);
    const steps = (await ws.get("jobs/list", { parent_job: id, order_desc: "false" })).json;
    expect(steps).toMatchObject([
      { flow_step_id: "a", success: true },
      { flow_step_id: "b", success: true },
      { flow_step_id: "b", success: true },
    ]);
  });

  it("finds the newest version of a script for each run, also for steps in one call", async () => {
    const content = (version: string) => `let ran = 0; export const main = () => ({ ran: ++ran, version: "${version}" });`;
    const named = (id: string) => ({ id, value: { type: "script", path: "f/t/named", input_transforms: {} } });
    await ws.saveScript({ path: "f/t/named", language: "bun", content: content("one") });
    const value = { same_worker: true, modules: [named("a"), named("b"), named("c"), step("all", "[results.a, results.b, results.c]")] };
    const run = async () => (await runFlow(ws, value))["result"] as { ran: number; version: string }[];
    const together = async (version: string) => {
      const results = await until(async () => await run().then((found) => (found[2]?.ran === 3 ? found : undefined)), {
        what: "a run in which steps went together",
        timeoutMs: 60_000,
      });
      expect(results).toEqual([1, 2, 3].map((ran) => ({ ran, version })));
    };
    await together("one");
    await ws.saveScript({ path: "f/t/named", language: "bun", content: content("two") });
    expect((await run()).map(({ version }) => version)).toEqual(["two", "two", "two"]);
    await together("two");
  });

  it("runs steps that are known to be quick in one call of the runner, each with its own job, arguments, output and result", async () => {
    const counting = (id: string, before: string, more = "") =>
      flow.script(
        id,
        `export const main = (before: unknown, n: number) => {
          globalThis.ran = (globalThis.ran ?? 0) + 1;
          console.log("this is", process.env.WM_FLOW_STEP_ID, process.env.WM_JOB_ID);
          ${more}
          return { ran: globalThis.ran, n, before };
        };`,
        { before, n: "flow_input.n" },
        {},
      );
    const modules = [
      counting("a", "null"),
      counting("b", "results.a.ran"),
      counting("c", "previous_result.before.nothing"),
      counting("d", "results.b.n + 1"),
      counting("e", "results.d"),
      counting("long", "'x'.repeat(3000)"),
      counting("f", "results.long.before"),
      counting("g", "results.f.ran", "if (n === 3) throw new Error('three');"),
      counting("h", "results.g.ran"),
    ];
    await saveFlow(ws, "f/t/quick", { same_worker: true, modules });
    type Counted = { ran: number; n: number; before: unknown };
    type Step = { id: string; flow_step_id: string; success: boolean };
    const run = async (n: number) => {
      const id = expectStatus(await ws.post("jobs/run/f/f/t/quick", { n }), 201).text;
      await ws.completed(id);
      return (await ws.get("jobs/list", { parent_job: id, order_desc: "false" })).json as Step[];
    };
    const withResult = async (job: Step) => ({
      ...job,
      result: (await ws.get(`jobs_u/completed/get_result/${job.id}`)).json as Counted,
    });
    // The duration of a step is known after it has run; a step that was slow by chance runs alone.
    const jobs = await until(
      async () => {
        const found = await Promise.all((await run(7)).map(withResult));
        return (found.at(-1)?.result.ran ?? 0) > 3 ? found : undefined;
      },
      { what: "a run in which steps went together", timeoutMs: 60_000 },
    );
    expect(jobs.map(({ flow_step_id: id, success }) => [id, success])).toEqual(modules.map(({ id }) => [id, true]));
    const [a, b, c, d, e, long, f, g, h] = jobs.map(({ result }) => result);
    expect([a, b, c, d, e, g, h].map((each) => each?.n)).toEqual([7, 7, 7, 7, 7, 7, 7]);
    expect([b?.before, c?.before, d?.before, e?.before]).toEqual([a?.ran, null, 8, { ran: d?.ran, n: 7, before: 8 }]);
    expect([long?.before, f?.before, h?.before]).toEqual(["x".repeat(3000), "x".repeat(3000), g?.ran]);
    for (const { id, flow_step_id: step } of jobs) {
      expect((await ws.get(`jobs_u/get_logs/${id}`)).text).toContain(`this is ${step} ${id}`);
      expect((await ws.get(`jobs_u/get_args/${id}`)).json).toMatchObject({ n: 7 });
    }
    // A step that fails inside a batch fails like any other step, and no step after it has run.
    const failed = await run(3);
    expect(failed.map(({ flow_step_id: id, success }) => [id, success])).toEqual(modules.slice(0, 8).map(({ id }) => [id, id !== "g"]));
  });
});

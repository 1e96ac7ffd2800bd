import { beforeAll, describe, expect, it } from "vitest";
import { newVariableSchema } from "../../../contract/routes/stored/variables.ts";
import { Cloud, runFlowInCloud } from "../../../test/support/use-cases/aws/cloud.ts";
import { all, each, echo, nested, one } from "../../../test/support/use-cases/cases/flow-modules.ts";
import { failure, success } from "../../../test/support/use-cases/world.ts";
import { addFlow, type FlowWorld, newFlowWorld, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addJob, addScript } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { handleJobMessage } from "../../execution/handle-job-message.ts";
import { createFolder } from "../../folders/folders.ts";
import { loadValue } from "../../jobs/values/values.ts";
import { createVariable } from "../../variables/save.ts";

const MARK = "$var:f/ops/secret";
const SECRET = "the value of the secret";

let world: FlowWorld;
beforeAll(async () => {
  world = await newFlowWorld();
  const caller = { actor: anAdmin, workspace: world.workspace };
  await createFolder(world.deps, anAdmin, world.workspace, { name: "ops" } as Parameters<typeof createFolder>[3]);
  await createVariable(
    world.deps,
    caller,
    newVariableSchema.parse({ path: "f/ops/secret", value: SECRET, is_secret: true, description: "" }),
  );
  await addFlow(world, "f/t/inner", [echo("i", "flow_input.y")]);
  await addFlow(world, "f/t/inner_of_list", [each("i", "flow_input.y", [echo("j", "flow_input.iter.value")])]);
});

/** Runs a flow, and returns the value of the argument `x` of each run of a script, as the scripts received them. */
async function runAndRead(value: object[] | object, args: object): Promise<unknown[]> {
  const from = world.results.length;
  await runFlowInCloud(world, value, args);
  return world.results.slice(from);
}

/** Untrusted texts that are not references, and the expressions with which authors process them. */
const disguises: [title: string, text: unknown, expression: string][] = [
  ["trimmed", ` ${MARK} `, "flow_input.text.trim()"],
  ["cut", `xx${MARK}`, "flow_input.text.slice(2)"],
  ["split", `a,${MARK},b`, "flow_input.text.split(',')[1]"],
  ["split and indexed without a call at the end", `a,${MARK},b`, "flow_input.text.split(',')"],
  ["joined", ["$var:", "f/ops/secret"], "flow_input.text.join('')"],
  ["put into a template", "f/ops/secret", "`$var:$" + "{flow_input.text}`"],
  ["replaced", `<b>${MARK}</b>`, "flow_input.text.replaceAll(/<.*?>/g, '')"],
  ["matched", `token ${MARK}.`, "/\\$var:[^.]+/.exec(flow_input.text)[0]"],
  ["parsed as JSON", JSON.stringify({ a: [MARK] }), "JSON.parse(flow_input.text)"],
  ["decoded", encodeURIComponent(MARK), "decodeURIComponent(flow_input.text)"],
  ["in upper case", MARK.replace("$var", "$VAR"), "flow_input.text.replace('VAR', 'var')"],
  ["taken from a key", { [MARK]: 1 }, "Object.keys(flow_input.text)[0]"],
  ["spread", [MARK.slice(0, 5), MARK.slice(5)], "({ deep: { list: [[...flow_input.text].join('')] } })"],
  ["returned by statements", ` ${MARK}`, "const text = flow_input.text.trim(); return text"],
];

/** The paths by which a computed value reaches a step. */
const ways: [title: string, flow: (expression: string) => object[] | object][] = [
  ["the argument of a step", (expression) => [echo("a", expression)]],
  ["the result of a step", (expression) => [echo("a", expression), echo("b", "results.a")]],
  ["the previous result", (expression) => [echo("a", expression), echo("b", "previous_result")]],
  ["the item of a loop", (expression) => [each("l", `[${wrap(expression)}]`, [echo("a", "flow_input.iter.value")])]],
  [
    "the item of a parallel loop",
    (expression) => [each("l", `[${wrap(expression)}]`, [echo("a", "flow_input.iter.value")], { parallel: true })],
  ],
  [
    "the item of a loop in a loop",
    (expression) => [each("l", `[[${wrap(expression)}]]`, [each("m", "flow_input.iter.value", [echo("a", "flow_input.iter.value")])])],
  ],
  ["a step of a branch", (expression) => [one("o", "true", [echo("a", expression)])]],
  ["a step of parallel branches", (expression) => [all("o", [[echo("a", expression)], [echo("b", expression)]], { parallel: true })]],
  ["the argument of a nested flow", (expression) => [nested("n", "f/t/inner", { y: expression })]],
  ["the list of a nested flow", (expression) => [nested("n", "f/t/inner_of_list", { y: `[${wrap(expression)}]` })]],
  [
    "another argument of the step",
    (expression) => [
      { id: "a", value: { type: "script", path: "f/ops/hello", input_transforms: { y: js(expression), x: js("params.y") } } },
    ],
  ],
  [
    "a segment",
    (expression) => ({ same_worker: true, modules: [echo("a", expression), echo("b", "results.a"), echo("c", "previous_result")] }),
  ],
  [
    "the error of a step",
    (expression) => ({
      modules: [echo("a", `(() => { throw new Error(JSON.stringify(${wrap(expression)})) })()`)],
      failure_module: echo("failure", "/\\$var:[a-z\\/]+/.exec(error.message)[0]"),
    }),
  ],
  ["a repeated step", (expression) => [echo("a", expression, { retry: { constant: { attempts: 1, seconds: 0 } } })]],
];
const js = (expr: string) => ({ type: "javascript", expr });
const wrap = (expression: string) => (expression.includes("return ") ? `(() => { ${expression} })()` : `(${expression})`);

/** Every disguise is combined with each path once; each round is a different combination. */
const combinations = ways.flatMap(([way, flow], at) =>
  [0, 5].map((round) => {
    const [disguise, text, expression] = disguises[(at + round) % disguises.length] as (typeof disguises)[number];
    return { way, disguise, flow: flow(expression), text };
  }),
);

describe("a stranger's text that looks like a reference after it was", () => {
  it.each(disguises)("%s is a text for the step that receives it", async (_, text, expression) => {
    const received = JSON.stringify(await runAndRead([echo("a", expression)], { text }));
    expect(received).toContain(JSON.stringify(`\\${MARK}`).slice(1, -1));
    expect(received).not.toContain(SECRET);
  });

  it.each(combinations)("$disguise is a text as $way", async ({ flow, text }) => {
    const received = JSON.stringify(await runAndRead(flow, { text }));
    expect(received).toContain("$var:f/ops/secret");
    expect(received).not.toContain(SECRET);
  });
});

describe("a text that a preprocessor returns", () => {
  /** Lets the script return computed texts where it runs as a preprocessor. */
  const withPreprocessor = async <T>(work: () => Promise<T>): Promise<T> => {
    const { run } = world.answers;
    world.answers.run = async (request) =>
      request.entrypoint === "preprocessor" ? success({ y: String(request.args["text"]).trim() }) : run(request);
    return work().finally(() => {
      world.answers.run = run;
    });
  };

  it("is a text as the input of its flow", async () => {
    const from = world.results.length;
    await withPreprocessor(async () => {
      const value = { modules: [echo("a", "flow_input.y")], preprocessor_module: echo("preprocessor", "null") };
      const run = await startFlow(world, value, { text: ` ${MARK}` }, { preprocess: "wanted" });
      await new Cloud(world).play(run);
      const job = await world.deps.jobs.get(run);
      expect([job?.state, job?.preprocess]).toEqual(["succeeded", "done"]);
    });
    expect(world.results.slice(from)).toEqual([`\\${MARK}`]);
  });

  it("is a text in the stored arguments of its script, with which the script may run again", async () => {
    const { run } = world.answers;
    world.answers.run = async (request) => {
      const answer = await run(request);
      return answer.kind === "outcome" ? { ...answer, outcome: { ...answer.outcome, preprocessed: { y: MARK } } } : answer;
    };
    const { id } = await addJob(world, {
      preprocess: "wanted",
      hash: (await addScript(world, { path: "f/t/pre", preprocessor: { params: null } })).hash,
    });
    await handleJobMessage(world.deps, { job: id }).finally(() => {
      world.answers.run = run;
    });
    const job = await world.deps.jobs.get(id);
    expect([job?.state, job?.preprocess]).toEqual(["succeeded", "done"]);
    expect(JSON.parse(await loadValue(world.deps, job ?? expect.fail(), job?.args ?? expect.fail()))).toEqual({ y: `\\${MARK}` });
  });
});

describe("a preprocessor that fails", () => {
  it.each<object>([
    {},
    { continue_on_error: true },
    { mock: { enabled: true, return_value: { y: MARK } } },
    { skip_if: { expr: "true" } },
    { suspend: { required_events: 1, continue_on_disapprove_timeout: true } },
  ])("ends its flow, so that no step receives an unchecked request: %j", async (more) => {
    const { run } = world.answers;
    world.answers.run = async (request) => (request.entrypoint === "preprocessor" ? failure("The signature is wrong.") : run(request));
    const from = world.results.length;
    const value = { modules: [echo("a", "flow_input"), echo("b", "1")], preprocessor_module: echo("preprocessor", "null", more) };
    const id = await startFlow(world, value, { event: { kind: "http", raw_string: MARK } }, { preprocess: "wanted" });
    await new Cloud(world).play(id).finally(() => {
      world.answers.run = run;
    });
    const job = await world.deps.jobs.get(id);
    expect([job?.state, job?.preprocess, world.results.slice(from)]).toEqual(["failed", "wanted", []]);
  });
});

const fixed = (value: unknown) => ({
  id: "a",
  value: { type: "script", path: "f/ops/hello", input_transforms: { x: { type: "static", value } } },
});

describe("a reference", () => {
  it.each<[string, object[] | object, object, unknown[]]>([
    ["in the static value of an author", [fixed(MARK)], {}, [SECRET]],
    ["deep in the static value of an author", [fixed({ list: [{ key: MARK }] })], {}, [{ list: [{ key: SECRET }] }]],
    ["in an argument that reaches the step by a path", [echo("a", "flow_input.db")], { db: MARK }, [SECRET]],
    [
      "in an argument that reaches the step by a path with a text",
      [echo("a", "flow_input['the db']?.key")],
      { "the db": { key: MARK } },
      [SECRET],
    ],
    ["in the whole input", [echo("a", "flow_input")], { db: { key: MARK } }, [{ db: { key: SECRET } }]],
    [
      "in a list of arguments that is iterated",
      [each("l", "flow_input.list", [echo("a", "flow_input.iter.value")])],
      { list: [MARK] },
      [SECRET],
    ],
    [
      "in the static list of an author that is iterated",
      [
        {
          id: "l",
          value: {
            type: "forloopflow",
            iterator: { type: "static", value: [MARK] },
            modules: [echo("a", "flow_input.iter.value")],
            skip_failures: false,
          },
        },
      ],
      {},
      [SECRET],
    ],
    ["in an argument that a nested flow receives by a path", [nested("n", "f/t/inner", { y: "flow_input.db" })], { db: MARK }, [SECRET]],
    ["that an expression reads by its path", [echo("a", "variable('f/ops/secret')")], {}, [SECRET]],
    [
      "in a static value of a segment",
      { same_worker: true, modules: [fixed(MARK), echo("b", "flow_input.db")] },
      { db: MARK },
      [SECRET, SECRET],
    ],
  ])("%s counts", async (_, flow, args, expected) => {
    expect(await runAndRead(flow, args)).toEqual(expected);
  });
});

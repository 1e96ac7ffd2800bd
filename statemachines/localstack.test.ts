import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  type DescribeExecutionCommandOutput,
  SFNClient,
  StartExecutionCommand,
} from "@aws-sdk/client-sfn";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { engineCredentials } from "../engine/engine/child-env.ts";
import { flowFixture, flowFixtureNames, machinesIn } from "../test/support/flows/asl.ts";
import { installLocalstack, type LocalstackStates, localstackHome, startLocalstackStates } from "../test/support/localstack/localstack.ts";
import { until } from "../test/support/until.ts";
import type { Definition, State, TaskState } from "./asl.ts";

/** `1` downloads Python 3.13 if it is missing. `found`, the value in `.ci/run`, skips the test in that case. */
const wanted = process.env["SVC_TEST_ASL"];

const state = { version: 1, workspace: "demo", job: "job", execution: 0, events: 0, path: "", outcome: "" };
const says = (outcome: string) => ({
  Return: { StatusCode: 200, Payload: { ...state, outcome, seconds: 1, indices: ["0", "1"], module: "a", scope: "" } },
});
const done = { Return: { StatusCode: 200, Payload: {} } };
const throws = { Throw: { Error: "StepFailed", Cause: "no" } };
/** The payload of a task token is the state itself. */
const sent = (outcome: string) => ({ Return: { ...state, outcome } });
type Answer = ReturnType<typeof says> | ReturnType<typeof sent> | typeof done | typeof throws;

/** The responses of a task in order; the last one is repeated. `ways`: the outcomes that the next Choice state accepts. */
type Answers = (ways: string[] | undefined) => Answer[];
const inside = (ways: string[]) => ways.filter((way) => !["fail", "stop", "again"].includes(way));
const orNext = (ways: string[], way: string) => says(ways.includes(way) ? way : "next");

/** Each case takes a different path through the machine. */
const cases: Record<string, Answers> = {
  EveryWay: (ways) => (ways ? [...inside(ways).map(says), says("next")] : [done]),
  Failures: (ways) => (ways ? [...inside(ways).map(says), says("fail")] : [throws]),
  Stops: (ways) => (ways ? [...inside(ways).map(says), orNext(ways, "stop")] : [done]),
  Again: (ways) => (ways ? [orNext(ways, "again")] : [done]),
};

function waysBehind(task: TaskState, states: Record<string, State>): string[] | undefined {
  const next = "Next" in task ? states[task.Next] : undefined;
  return task.OutputPath && next?.Type === "Choice" ? next.Choices.map(({ StringEquals }) => StringEquals) : undefined;
}

/** Whether the task's output is the payload of its token. */
const goesOn = (task: TaskState) => task.Resource.endsWith(".waitForTaskToken") && !("ResultPath" in task);
const toldToGoOn: Answers = () => [sent("enter again"), sent("next")];

/** LocalStack's file of canned answers for all fixtures and cases. */
function cannedAnswers() {
  const MockedResponses: Record<string, Record<string, Answer>> = {};
  const testCase = (fixture: string, name: string, answers: Answers) => {
    const tasks = machinesIn(JSON.parse(flowFixture(fixture, "asl.json")) as Definition).flatMap(({ States }) =>
      Object.entries(States).flatMap(([task, found]) => (found.Type === "Task" ? [{ task, found, States }] : [])),
    );
    return Object.fromEntries(
      tasks.map(({ task, found, States }) => {
        const finishes = "finish" in (found.Parameters["Payload"] as object);
        const given = goesOn(found) && name !== "Failures" ? toldToGoOn : answers;
        const list = finishes ? [done] : given(waysBehind(found, States));
        const key = `${fixture} ${name} ${task}`;
        const last = list.length - 1;
        MockedResponses[key] = Object.fromEntries(
          list.map((answer, call) => [call === last ? `${call}-${call + 999}` : `${call}`, answer]),
        );
        return [task, key];
      }),
    );
  };
  const StateMachines = Object.fromEntries(
    flowFixtureNames.map((fixture) => [
      fixture,
      { TestCases: Object.fromEntries(Object.entries(cases).map(([name, answers]) => [name, testCase(fixture, name, answers)])) },
    ]),
  );
  return { StateMachines, MockedResponses };
}

/** The compiled definitions in an interpreter that is stricter than the local engine's, with canned answers in place of function `step`. */
describe("LocalStack's Step Functions", () => {
  let missing: string | undefined = "it needs Python 3.13 and 240 packages: npm run test:asl";
  let server: LocalstackStates | undefined;
  let sfn: SFNClient;

  beforeAll(async () => {
    if (!wanted) return;
    missing = await installLocalstack(wanted === "1");
    if (missing) return;
    const mocks = path.join(localstackHome, `answers-${process.pid}.json`);
    writeFileSync(mocks, JSON.stringify(cannedAnswers()));
    server = await startLocalstackStates({ SFN_MOCK_CONFIG: mocks });
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_REGION: region } = engineCredentials;
    sfn = new SFNClient({ endpoint: server.endpoint, region, credentials: { accessKeyId, secretAccessKey } });
    return () => rmSync(mocks, { force: true });
  }, 300_000);
  afterAll(() => server?.stop(), 60_000);
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  it.each(flowFixtureNames)(
    "the service accepts %s, and completes it on each possible route",
    async (name) => {
      const roleArn = "arn:aws:iam::000000000000:role/any";
      const { stateMachineArn } = await sfn.send(
        new CreateStateMachineCommand({ name, definition: flowFixture(name, "asl.json"), roleArn }),
      );
      const statusOf = async (one: string) => {
        const start = { stateMachineArn: `${stateMachineArn}#${one}`, input: JSON.stringify(state) };
        const { executionArn } = await sfn.send(new StartExecutionCommand(start));
        const ended = async (): Promise<DescribeExecutionCommandOutput | undefined> => {
          const now = await sfn.send(new DescribeExecutionCommand({ executionArn }));
          return now.status === "RUNNING" ? undefined : now;
        };
        const { status, cause } = await until(ended, { what: `the end of ${one}`, timeoutMs: 60_000, everyMs: 200 });
        return [one, status, cause];
      };
      const names = Object.keys(cases);
      expect(await Promise.all(names.map(statusOf))).toEqual(names.map((one) => [one, "SUCCEEDED", undefined]));
    },
    120_000,
  );
});

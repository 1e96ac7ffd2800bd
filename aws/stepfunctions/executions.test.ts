import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { stubAws } from "../../test/support/engine/stub-env.ts";

let server: http.Server | undefined;
afterEach(() => {
  server?.close();
  vi.unstubAllEnvs();
  vi.resetModules();
});

type Answers = Record<string, (input: Record<string, unknown>) => object | { error: string }>;

/** The adapters with a Step Functions that returns these responses. */
async function adaptersAt(answers: Answers) {
  server = http.createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const action = String(request.headers["x-amz-target"]).split(".")[1] ?? "";
    const answer = answers[action]?.(JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>) ?? {};
    const error = "error" in answer ? answer.error : undefined;
    response.writeHead(error ? 400 : 200, { "content-type": "application/x-amz-json-1.0" });
    response.end(JSON.stringify(error ? { __type: error, message: error } : answer));
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  stubAws(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    AWS_MAX_ATTEMPTS: "1",
    SVC_STATES_ARN: "arn:aws:states:us-east-1:000000000000",
  });
  const [{ executions }, { stateMachines }] = await Promise.all([import("./executions.ts"), import("./state-machines.ts")]);
  return { executions, stateMachines };
}

const DAY_S = 24 * 3600;
const nowMs = 1_800_000_000_000;
const daysAgo = (days: number) => nowMs / 1000 - days * DAY_S;

describe("machines during their deletion", () => {
  it("a machine that is being deleted starts no execution and occupies its name until its last execution has ended", async () => {
    const deleting = () => ({ error: "StateMachineDeleting" });
    const { executions, stateMachines } = await adaptersAt({ StartExecution: deleting, CreateStateMachine: deleting });
    expect(await executions.startExecution({ machine: "svc-demo-a", job: "j", execution: 0 }, {})).toBe("noMachine");
    expect(await stateMachines.createStateMachine("svc-demo-a", "{}", "role", {})).toBe("leaving");
  });
});

describe("a machine that exists under the name", () => {
  const rows = [
    ["made", { definition: "{}", roleArn: "role", status: "ACTIVE" }],
    ["different", { definition: '{"StartAt":"Other"}', roleArn: "role", status: "ACTIVE" }],
    ["different", { definition: "{}", roleArn: "other", status: "ACTIVE" }],
    ["leaving", { definition: "{}", roleArn: "role", status: "DELETING" }],
    ["made", { error: "StateMachineDoesNotExist" }],
  ] as const;
  // An equal definition makes CreateStateMachine succeed, whatever role the machine has.
  const answers = [["refused", { error: "StateMachineAlreadyExists" }] as const, ["accepted", { creationDate: 1 }] as const];
  it.each(rows.flatMap(([expected, found]) => answers.map(([title, answer]) => [expected, title, JSON.stringify(found), answer] as const)))(
    "is %s after a comparison with definition and role, when its creation is %s and it is %s",
    async (expected, _title, found, answer) => {
      const { stateMachines } = await adaptersAt({
        CreateStateMachine: () => answer,
        DescribeStateMachine: () => JSON.parse(found) as object,
      });
      expect(await stateMachines.createStateMachine("svc-demo-a", "{}", "role", {})).toBe(expected);
    },
  );
});

describe("a task that no longer waits", () => {
  it.each(["TaskDoesNotExist", "TaskTimedOut", "InvalidToken"])("%s is not an error", async (name) => {
    const { executions } = await adaptersAt({ SendTaskSuccess: () => ({ error: name }) });
    await expect(executions.sendTaskSuccess("token", {})).resolves.toBeUndefined();
  });

  it("every other error is thrown", async () => {
    const { executions } = await adaptersAt({ SendTaskSuccess: () => ({ error: "InvalidOutput" }) });
    await expect(executions.sendTaskSuccess("token", {})).rejects.toMatchObject({ name: "InvalidOutput" });
  });
});

describe("idle machines", () => {
  const arn = (name: string) => `arn:aws:states:us-east-1:000000000000:stateMachine:${name}`;
  interface Machine {
    made?: number;
    /** The latest execution is first. */
    executions?: { status: string; startDate: number; stopDate?: number }[];
    tags?: Record<string, string>;
  }
  const idle: Machine = { executions: [{ status: "SUCCEEDED", startDate: daysAgo(32), stopDate: daysAgo(31) }] };

  async function removeMachines(machines: Record<string, Machine>, more: Answers = {}): Promise<[number, string[]]> {
    const gone: string[] = [];
    const of = (input: Record<string, unknown>) =>
      Object.entries(machines).find(([name]) => arn(name) === (input["stateMachineArn"] ?? input["resourceArn"]))?.[1] ?? {};
    const { stateMachines } = await adaptersAt({
      ListStateMachines: () => ({
        stateMachines: Object.entries(machines).map(([name, { made = daysAgo(60) }]) => ({
          name,
          stateMachineArn: arn(name),
          creationDate: made,
        })),
      }),
      ListExecutions: (input) => ({
        executions: (of(input).executions ?? [])
          .filter(({ status }) => input["statusFilter"] === undefined || input["statusFilter"] === status)
          .slice(0, Number(input["maxResults"])),
      }),
      ListTagsForResource: (input) => ({ tags: Object.entries(of(input).tags ?? { svc: "mine" }).map(([key, value]) => ({ key, value })) }),
      DeleteStateMachine: (input) => {
        gone.push(String(input["stateMachineArn"]).split(":").at(-1) ?? "");
        return {};
      },
      ...more,
    });
    const count = await stateMachines.deleteIdleStateMachines(
      "svc-",
      { svc: "mine" },
      nowMs - 30 * DAY_S * 1000,
      (all) => all,
      (_, work) => work(),
    );
    return [count, gone];
  }

  it("machines that last ran long ago, or were created long ago and never ran, are deleted", async () => {
    expect(await removeMachines({ "svc-a": idle, "svc-b": {} })).toEqual([2, ["svc-a", "svc-b"]]);
  });

  it.each<[string, string, Machine]>([
    ["was run lately", "svc-a", { executions: [{ status: "FAILED", startDate: daysAgo(3), stopDate: daysAgo(2) }] }],
    ["runs for long", "svc-a", { executions: [{ status: "RUNNING", startDate: daysAgo(50) }] }],
    [
      "runs for longer than what has ended",
      "svc-a",
      { executions: [...(idle.executions ?? []), { status: "RUNNING", startDate: daysAgo(50) }] },
    ],
    ["was made lately", "svc-a", { made: daysAgo(2) }],
    ["belongs to another stack", "svc-a", { ...idle, tags: { svc: "other" } }],
    ["carries no tags", "svc-a", { ...idle, tags: {} }],
    ["is called otherwise", "their-a", idle],
  ])("a machine that %s remains", async (_what, name, machine) => {
    expect(await removeMachines({ [name]: machine })).toEqual([0, []]);
  });

  it("the deletion stops when Step Functions throttles, and returns its progress", async () => {
    let calls = 0;
    const throttled = () => (++calls > 1 ? { error: "ThrottlingException" } : {});
    expect(await removeMachines({ "svc-a": idle, "svc-b": idle, "svc-c": idle }, { DeleteStateMachine: throttled })).toEqual([1, []]);
  });
});

import {
  DescribeStateMachineCommand,
  ListExecutionsCommand,
  ListTagsForResourceCommand,
  paginateListStateMachines,
} from "@aws-sdk/client-sfn";
import { beforeAll, describe, expect, it } from "vitest";
import { identity } from "../../builders/flows.ts";
import { api, shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients, invoke } from "../../support/engine/aws.ts";

const { sfn } = awsClients();

/** Name and ARN of each state machine whose name begins so. */
async function machines(prefix: string): Promise<{ name: string; arn: string }[]> {
  const found: { name: string; arn: string }[] = [];
  for await (const { stateMachines = [] } of paginateListStateMachines({ client: sfn }, {})) {
    found.push(...stateMachines.map(({ name = "", stateMachineArn: arn = "" }) => ({ name, arn })));
  }
  return found.filter(({ name }) => name.startsWith(prefix));
}
const tagsOf = async (resourceArn: string) => {
  const { tags = [] } = await sfn.send(new ListTagsForResourceCommand({ resourceArn }));
  return Object.fromEntries(tags.map(({ key, value }) => [key, value]));
};

/** Saves a flow, or another version of it, and waits until it is built: the job that did it. */
async function saved(ws: Workspace, path: string, modules: object[], route = "flows/create"): Promise<Record<string, unknown>> {
  expectStatus(await ws.post(route, { path, summary: "", value: { modules } }), route === "flows/create" ? 201 : 200);
  const jobs = (await ws.get("jobs/list", { job_kinds: "flowdependencies", script_path_exact: path, per_page: 1 })).json;
  const [{ id = "" } = {}] = jobs as { id?: string }[];
  return ws.completed(id);
}

describe("a saved flow's state machine", () => {
  let ws: Workspace;
  beforeAll(async () => {
    ws = await newWorkspace();
  });

  it("the machine has its name, tags and definition", async () => {
    expect(await saved(ws, "f/t/daily.report", [identity("a", { summary: "Load" }), identity("b")])).toMatchObject({ success: true });
    const [machine, ...others] = await machines(`svc-${ws.id}-`);
    expect(others).toEqual([]);
    expect(machine?.name).toMatch(new RegExp(`^svc-${ws.id}-f-t-daily-report-[0-9a-f]{16}$`));
    const stack = shared().outputs["StepFunction"]?.split("-")[0];
    expect(await tagsOf(machine?.arn ?? "")).toEqual({ svc: stack, "svc:workspace": ws.id, "svc:path": "f/t/daily.report" });
    const { definition = "" } = await sfn.send(new DescribeStateMachineCommand({ stateMachineArn: machine?.arn }));
    const { Comment, StartAt, States } = JSON.parse(definition) as Record<string, object>;
    expect([Comment, StartAt, Object.keys(States ?? {}).sort()]).toEqual([
      `${ws.id} f/t/daily.report`,
      "a Load",
      ["a Load", "b", "finish flow"],
    ]);
  });

  it("equal versions share a machine, and each run is an execution named after its job", async () => {
    const bash = (content: string) => ({ id: "a", value: { type: "rawscript", language: "bash", content, input_transforms: {} } });
    const machinesNow = () => machines(`svc-${ws.id}-f-t-shared-`);
    await saved(ws, "f/t/shared", [bash("echo one")]);
    const before = await machinesNow();
    await saved(ws, "f/t/shared", [bash("echo two")], "flows/update/f/t/shared");
    expect([before.length, await machinesNow()]).toEqual([1, before]);
    const job = expectStatus(await ws.post("jobs/run/f/f/t/shared", {}), 201).text;
    expect(await ws.completed(job)).toMatchObject({ success: true, result: "two" });
    const { executions = [] } = await sfn.send(new ListExecutionsCommand({ stateMachineArn: before[0]?.arn }));
    expect(executions.map(({ name }) => name)).toEqual([`${job}.0`]);
    await saved(ws, "f/t/shared", [bash("echo two"), identity("b")], "flows/update/f/t/shared");
    expect(await machinesNow()).toHaveLength(2);
  });

  it("a flow that is too large has no machine, and its build and its runs fail with the reason", async () => {
    const modules = Array.from({ length: 1300 }, (_, index) => identity(`s${index}`));
    const said = { error: { name: "DependencyError", message: expect.stringMatching(/^The flow is too large: at most \d+ steps/) } };
    expect(await saved(ws, "f/t/large", modules)).toMatchObject({ success: false, result: said });
    expect((await ws.post("jobs/run_wait_result/f/f/t/large", {})).json).toMatchObject(said);
    expect((await ws.post("jobs/run_wait_result/preview_flow", { value: { modules }, args: {} })).json).toMatchObject(said);
    expect(await machines(`svc-${ws.id}-f-t-large`)).toEqual([]);
  });

  it("a parallel loop with many steps around another loop ends, and an expression decides how many iterations run at once", async () => {
    const inner = {
      id: "inner",
      value: { type: "forloopflow", iterator: { type: "static", value: [1, 2] }, modules: [identity("in")] },
    };
    const steps = Array.from({ length: 9 }, (_, index) => identity(`s${index}`));
    const iterator = { type: "javascript", expr: "Array.from({length: 40}, (_, i) => i)" };
    const parallelism = { type: "javascript", expr: "flow_input.width" };
    const modules = [{ id: "outer", value: { type: "forloopflow", iterator, parallel: true, parallelism, modules: [...steps, inner] } }];
    const job = expectStatus(await ws.post("jobs/run/preview_flow", { value: { modules }, args: { width: 9 } }), 201).text;
    const { success, result } = await ws.completed(job, 120_000);
    expect([success, (result as unknown[]).length]).toEqual([true, 40]);
  });
});

describe("state machines of a deleted workspace", () => {
  it("the machines of a deleted workspace are deleted, and those of workspaces with the same prefix remain", async () => {
    const ws = await newWorkspace();
    const like = `${ws.id}-f`;
    expectStatus(await api().post("workspaces/create", { id: like, name: like }), 201);
    await saved(ws, "f/t/gone", [identity("a")]);
    const other = { ...ws, id: like, post: (route: string, body?: unknown) => api().post(`w/${like}/${route}`, body) };
    expectStatus(await other.post("folders/create", { name: "t" }), 201);
    expectStatus(await other.post("jobs/run_wait_result/preview_flow", { value: { modules: [identity("a")] }, args: {} }), 200);
    expect(await machines(`svc-${ws.id}-`)).toHaveLength(2);
    expectStatus(await api().call("DELETE", `workspaces/delete/${ws.id}`), 200);
    await invoke("HousekeepingFunction", {});
    expect((await machines(`svc-${ws.id}-`)).map(({ name }) => name)).toEqual([expect.stringContaining(`svc-${like}-preview-`)]);
  });
});

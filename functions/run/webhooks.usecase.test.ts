import type { Context } from "aws-lambda";
import { beforeAll, expect, it } from "vitest";
import { flowHeadObject, flowVersionObject } from "../../core/flows/version.ts";
import { settingObject } from "../../core/objects/setting.ts";
import { write } from "../../core/objects/write.ts";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import { toGatewayEvent } from "../../test/support/fuzz/gateway-event.ts";
import { failure, success } from "../../test/support/use-cases/world.ts";
import { addFlow, type FlowWorld, newFlowWorld, playExecutions } from "../../test/support/use-cases/world-flows.ts";
import { addScript, work } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { apiHandler } from "../shared/edge/edge.ts";
import { webhookRoutes } from "./webhooks.ts";

let world: FlowWorld;
beforeAll(async () => {
  world = await newFlowWorld();
});

async function addTargets() {
  const { build, ...value } = await addScript(world);
  const script = { ...scriptHeadObject.key(world.workspace, value.path), value, build };
  const modules = [{ id: "a", value: { type: "script", path: value.path } }];
  const { path, version } = await addFlow(world, "f/t/fails", modules);
  await world.deps.objects.put(script);
  return {
    [`p/${value.path}`]: script,
    [`h/${value.hash}`]: script,
    [`f/${path}`]: await world.deps.objects.get(flowHeadObject.key(world.workspace, path)),
    [`fv/${version}`]: await world.deps.objects.get(flowVersionObject.key(world.workspace, version)),
  };
}

it("a failed run of a script or flow has the status that the workspace has set, unless it chooses one itself", async () => {
  const targets = await addTargets();
  const deps = { ...world.deps, syncLimitMs: async () => 10_000 };
  const wait = async (address: string): Promise<number> => {
    const handler = apiHandler(webhookRoutes(deps), async () => ({ actor: anAdmin, head: targets[address] }));
    const event = toGatewayEvent({ method: "POST", path: `/api/w/${world.workspace}/jobs/run_wait_result/${address}`, body: "{}" });
    let status: number | undefined;
    const replying = handler(event, { awsRequestId: "r" } as Context).then(({ statusCode }) => {
      status = statusCode;
    });
    while (status === undefined) {
      await work(world);
      await playExecutions(world);
    }
    await replying;
    return status;
  };
  const waitForAll = async () => {
    const statuses: number[] = [];
    for (const address of Object.keys(targets)) statuses.push(await wait(address));
    return statuses;
  };
  const setting = settingObject.key(world.workspace, "failed_runs");
  const failed = failure("no stock");
  world.answers.run = async () => failed;
  expect(await waitForAll()).toEqual([200, 200, 200, 200]);
  await world.deps.objects.put({ ...setting, value: { status: 500 } });
  expect(await waitForAll()).toEqual([500, 500, 500, 500]);
  world.answers.run = async () => success({ a: 1 });
  expect(await waitForAll()).toEqual([200, 200, 200, 200]);
  if ("outcome" in failed) Object.assign(failed.outcome, { error: { name: "Error", message: "no stock", svc_status_code: 409 } });
  world.answers.run = async () => failed;
  expect(await waitForAll()).toEqual([409, 409, 409, 409]);
  await world.deps.objects.transactWrite([write.remove(setting)]);
});

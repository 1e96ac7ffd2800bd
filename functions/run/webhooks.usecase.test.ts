import type { Context } from "aws-lambda";
import { beforeAll, expect, it } from "vitest";
import { flowHeadObject, flowVersionObject } from "../../core/flows/version.ts";
import { settingObject } from "../../core/objects/setting.ts";
import { write } from "../../core/objects/write.ts";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import { toGatewayEvent } from "../../test/support/fuzz/gateway-event.ts";
import { failure, success } from "../../test/support/use-cases/room.ts";
import { addFlow, type FlowRoom, newFlowRoom, playExecutions } from "../../test/support/use-cases/room-flows.ts";
import { addScript, work } from "../../test/support/use-cases/room-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/room-people.ts";
import { apiHandler } from "../shared/edge.ts";
import { webhookRoutes } from "./webhooks.ts";

let room: FlowRoom;
beforeAll(async () => {
  room = await newFlowRoom();
});

async function addTargets() {
  const { build, ...value } = await addScript(room);
  const script = { ...scriptHeadObject.key(room.workspace, value.path), value, build };
  const modules = [{ id: "a", value: { type: "script", path: value.path } }];
  const { path, version } = await addFlow(room, "f/t/fails", modules);
  await room.deps.objects.put(script);
  return {
    [`p/${value.path}`]: script,
    [`h/${value.hash}`]: script,
    [`f/${path}`]: await room.deps.objects.get(flowHeadObject.key(room.workspace, path)),
    [`fv/${version}`]: await room.deps.objects.get(flowVersionObject.key(room.workspace, version)),
  };
}

it("a failed run of a script or flow has the status that the workspace has set, unless it chooses one itself", async () => {
  const targets = await addTargets();
  const deps = { ...room.deps, syncLimitMs: async () => 10_000 };
  const wait = async (address: string): Promise<number> => {
    const handler = apiHandler(webhookRoutes(deps), async () => ({ actor: anAdmin, head: targets[address] }));
    const event = toGatewayEvent({ method: "POST", path: `/api/w/${room.workspace}/jobs/run_wait_result/${address}`, body: "{}" });
    let status: number | undefined;
    const replying = handler(event, { awsRequestId: "r" } as Context).then(({ statusCode }) => {
      status = statusCode;
    });
    while (status === undefined) {
      await work(room);
      await playExecutions(room);
    }
    await replying;
    return status;
  };
  const waitForAll = async () => {
    const statuses: number[] = [];
    for (const address of Object.keys(targets)) statuses.push(await wait(address));
    return statuses;
  };
  const setting = settingObject.key(room.workspace, "failed_runs");
  const failed = failure("no stock");
  room.answers.run = async () => failed;
  expect(await waitForAll()).toEqual([200, 200, 200, 200]);
  await room.deps.objects.put({ ...setting, value: { status: 500 } });
  expect(await waitForAll()).toEqual([500, 500, 500, 500]);
  room.answers.run = async () => success({ a: 1 });
  expect(await waitForAll()).toEqual([200, 200, 200, 200]);
  if ("outcome" in failed) Object.assign(failed.outcome, { error: { name: "Error", message: "no stock", svc_status_code: 409 } });
  room.answers.run = async () => failed;
  expect(await waitForAll()).toEqual([409, 409, 409, 409]);
  await room.deps.objects.transactWrite([write.remove(setting)]);
});

import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { documents } from "../../../aws/sdk/clients.ts";
import { env, requireEnv } from "../../../contract/env.ts";
import { newWorld } from "../../../test/support/use-cases/world.ts";
import { addJob, addWorkspace } from "../../../test/support/use-cases/world-jobs.ts";

it("a job whose record lacks a field is left out, and the jobs that are read with it are returned", async () => {
  const world = await newWorld();
  await addWorkspace(world);
  const [good, bad] = [await addJob(world), await addJob(world)];
  await documents().send(
    new UpdateCommand({
      TableName: requireEnv(env.jobsTable),
      Key: { pk: bad.id, sk: "job" },
      UpdateExpression: "REMOVE tag",
    }),
  );
  expect(await world.deps.jobs.batchGet([bad.id, good.id])).toEqual([await world.deps.jobs.get(good.id)]);
  await expect(world.deps.jobs.get(bad.id)).rejects.toThrow(`The record job of ${bad.id} cannot be read.`);
});

import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { documents } from "../../../aws/sdk/clients.ts";
import { env, requireEnv } from "../../../contract/env.ts";
import { newRoom } from "../../../test/support/use-cases/room.ts";
import { addJob, addWorkspace } from "../../../test/support/use-cases/room-jobs.ts";

it("a job whose record lacks a field is left out, and the jobs that are read with it are returned", async () => {
  const room = await newRoom();
  await addWorkspace(room);
  const [good, bad] = [await addJob(room), await addJob(room)];
  await documents().send(
    new UpdateCommand({
      TableName: requireEnv(env.jobsTable),
      Key: { pk: bad.id, sk: "job" },
      UpdateExpression: "REMOVE tag",
    }),
  );
  expect(await room.deps.jobs.batchGet([bad.id, good.id])).toEqual([await room.deps.jobs.get(good.id)]);
  await expect(room.deps.jobs.get(bad.id)).rejects.toThrow(`The record job of ${bad.id} cannot be read.`);
});

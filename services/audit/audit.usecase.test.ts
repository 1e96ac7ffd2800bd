import { beforeAll, expect, it } from "vitest";
import { SvcError } from "../../contract/errors.ts";
import { newRoom, type Room } from "../../test/support/use-cases/room.ts";
import { findAuditEntries, runAudited } from "./audit.ts";

let room: Room;
beforeAll(async () => {
  room = await newRoom();
});

it.each([
  ["in several steps that is refused halfway keeps its entry", true, 1],
  ["in one step that is refused has no entry", false, 0],
])("an action %s", async (_, inSteps, count) => {
  const action = { workspace: room.workspace, username: "ann", operation: `test.${inSteps}`, action_kind: "Delete" as const, inSteps };
  const refused = async () => {
    throw new SvcError("access.changedMeanwhile", {});
  };
  await expect(runAudited(room.deps, action, refused)).rejects.toMatchObject({ code: "access.changedMeanwhile" });
  const { entries } = await findAuditEntries(room.deps, room.workspace, { operation: `test.${inSteps}` });
  expect(entries).toHaveLength(count);
});

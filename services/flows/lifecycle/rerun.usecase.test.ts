import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { actions } from "../../../contract/access/actions.ts";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import { newRoom, type Room } from "../../../test/support/use-cases/room.ts";
import { addJob, addScript, addWorkspace, listJobs, passLease, work } from "../../../test/support/use-cases/room-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/room-people.ts";
import { rerunJobs } from "./rerun.ts";

let room: Room;
beforeAll(async () => {
  room = await newRoom();
  await addWorkspace(room);
});

describe("rerun of two jobs with an Idempotency-Key, whichever of its writes fails,", () => {
  it("runs each of them once again when the call is repeated", async () => {
    await expectToSurviveFaults(async () => {
      const path = `f/t/${randomUUID()}`;
      const { hash } = await addScript(room, { path });
      const before = [await addJob(room, { path, hash }), await addJob(room, { path, hash })].map(({ id }) => id);
      const headers = { "idempotency-key": randomUUID() };
      const asked = { job_ids: before, script_options_by_path: {}, flow_options_by_path: {} };
      let answers: PromiseSettledResult<string>[] = [];
      const act = async () => {
        answers = await rerunJobs(room.deps, { actor: anAdmin, action: actions.readRun, workspace: room.workspace }, asked, headers);
      };
      return {
        act,
        recover: act,
        check: async () => {
          await work(room);
          await passLease(room);
          const again = (await listJobs(room, path)).filter(({ id }) => !before.includes(id));
          const ids = answers.map((answer) => (answer.status === "fulfilled" ? answer.value : String(answer.reason)));
          expect(again.map(({ id }) => id).sort()).toEqual(ids.sort());
          expect(again.map(({ id, state }) => [state, room.runs.filter(({ job }) => job === id).length])).toEqual([
            ["succeeded", 1],
            ["succeeded", 1],
          ]);
        },
      };
    });
  });
});

describe("rerun of two jobs without an Idempotency-Key, whichever of its writes fails,", () => {
  it("answers for each job an id that runs once or an error, even if the call is not repeated", async () => {
    await expectToSurviveFaults(async () => {
      const path = `f/t/${randomUUID()}`;
      const { hash } = await addScript(room, { path });
      const before = [await addJob(room, { path, hash }), await addJob(room, { path, hash })].map(({ id }) => id);
      const asked = { job_ids: before, script_options_by_path: {}, flow_options_by_path: {} };
      const caller = { actor: anAdmin, action: actions.readRun, workspace: room.workspace };
      let answers: PromiseSettledResult<string>[] = [];
      return {
        act: async () => {
          answers = await rerunJobs(room.deps, caller, asked, {});
        },
        recover: async () => undefined,
        check: async () => {
          await work(room);
          await passLease(room);
          const again = (await listJobs(room, path)).filter(({ id }) => !before.includes(id));
          expect(again.length).toBeLessThan(3);
          for (const { id, state } of again) expect([state, room.runs.filter(({ job }) => job === id).length]).toEqual(["succeeded", 1]);
          const ids = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
          expect(again.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
        },
      };
    });
  });
});

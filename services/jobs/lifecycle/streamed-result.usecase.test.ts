import { beforeAll, expect, it } from "vitest";
import { hasEnded } from "../../../core/jobs/job.ts";
import { type Room, success } from "../../../test/support/use-cases/room.ts";
import { addJob, newScriptRoom } from "../../../test/support/use-cases/room-jobs.ts";
import { handleJobMessage } from "../../execution/handle-job-message.ts";
import { loadJson, storeOutput } from "../values/values.ts";

let room: Room;
let hash: string;
beforeAll(async () => {
  ({ room, hash } = await newScriptRoom());
});

async function resultOf(returned: unknown, log: string, earlier = ""): Promise<unknown> {
  const { id } = await addJob(room, { hash });
  room.answers.run = async () => {
    const invocation = success(returned, log);
    const job = await room.deps.jobs.get(id);
    if (invocation.kind === "outcome" && job && earlier !== "") {
      for (const [offset, text] of [...earlier].entries()) await storeOutput(room.deps, job, { attempt: 1, offset, text });
      invocation.outcome.logs.offset = earlier.length;
    }
    return invocation;
  };
  await handleJobMessage(room.deps, { job: id, hash });
  const job = await room.deps.jobs.get(id);
  return job && hasEnded(job) ? loadJson(room.deps, job, job.result) : expect.fail(`The job is ${job?.state}.`);
}

it("a script that only prints a stream has the stream as its result", async () => {
  expect(await resultOf(null, "start\nWM_STREAM: a\\n\nWM_STREAM: b\n")).toBe("a\nb");
  expect(await resultOf({ n: 1 }, "WM_STREAM: a\n")).toEqual({ n: 1, wm_stream: "a" });
  expect(await resultOf(7, "WM_STREAM: a\n")).toBe(7);
  expect(await resultOf(null, "no stream\n")).toBeNull();
});

it("the stream in a result includes the output that a longer run has sent before its end", async () => {
  expect(await resultOf(null, "b\nWM_STREAM: c", "x\nWM_STREAM: a\nWM_STREAM: ")).toBe("abc");
});

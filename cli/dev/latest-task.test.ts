import { expect, it } from "vitest";
import { LatestTask } from "./latest-task.ts";

/** A task that ends when it is aborted. */
const untilAborted = (events: string[], name: string) => async (signal: AbortSignal) => {
  events.push(`${name} starts`);
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  events.push(`${name} ends`);
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

it("a new task aborts the running one, starts after its end, and replaces waiting tasks", async () => {
  const events: string[] = [];
  const tasks = new LatestTask(() => events.push("error"));
  tasks.replace(untilAborted(events, "a"));
  await turn();
  tasks.replace(untilAborted(events, "b"));
  tasks.replace(untilAborted(events, "c"));
  await turn();
  await tasks.close();
  expect(events).toEqual(["a starts", "a ends", "c starts", "c ends"]);
});

it("a task that fails is reported, and the next one starts", async () => {
  const events: string[] = [];
  const tasks = new LatestTask((error) => events.push((error as Error).message));
  tasks.replace(() => Promise.reject(new Error("broken")));
  await turn();
  tasks.replace(async () => void events.push("next"));
  await turn();
  expect(events).toEqual(["broken", "next"]);
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Answers, Question } from "./question.ts";
import { ANSWER_MS, REST_MS, START_MS, TypeClient, type TypesWorker } from "./type-client.ts";
import type { ToWorker } from "./types-worker.ts";

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const check = (text: string) => ({ kind: "check", source: { language: "bun", text } }) as const;

/** Workers that answer when the test calls `answer`. */
function newWorld() {
  const started: (TypesWorker & { received: ToWorker[]; hasEnded: boolean })[] = [];
  const rests: boolean[] = [];
  const client = new TypeClient(
    () => {
      const worker = {
        received: [] as ToWorker[],
        hasEnded: false,
        postMessage: (message: ToWorker) => worker.received.push(message),
        terminate: () => {
          worker.hasEnded = true;
        },
        onmessage: null,
        onerror: null,
      };
      started.push(worker);
      return worker;
    },
    (isResting) => rests.push(isResting),
  );
  const newest = () => started[started.length - 1];
  return {
    ...{ client, started, rests },
    fail: () => newest()?.onerror?.(new Event("error") as never),
    ready: () => newest()?.onmessage?.({ data: {} }),
    asked: () => newest()?.received.map((message) => ("question" in message ? questionText(message.question) : "context")),
    answer: (messages: string[]) => {
      const last = newest()
        ?.received.filter((message) => "id" in message)
        .at(-1);
      const problems = messages.map((message) => ({ from: 0, to: 1, severity: "error" as const, message }));
      newest()?.onmessage?.({ data: { id: last && "id" in last ? last.id : 0, answer: { problems, scripts: [], unknown: [] } } });
    },
  };
}
type World = ReturnType<typeof newWorld>;
const messageOf = (answer: Answers["check"] | undefined) => answer?.problems[0]?.message;
const questionText = ({ kind, source }: Question) => `${kind} ${source.text}`;

describe("the types of an editor", () => {
  it("are asked one question at a time, the newest of its kind, and completions first", async () => {
    const world = newWorld();
    const first = world.client.ask(check("1"));
    world.ready();
    const [second, third] = [world.client.ask(check("2")), world.client.ask(check("3"))];
    void world.client.ask({ ...check("4"), kind: "complete", at: 1 });
    expect(await second).toBeUndefined();
    expect(world.asked()).toEqual(["check 1"]);
    world.answer(["a"]);
    world.answer([]);
    world.answer(["b"]);
    expect(world.asked()).toEqual(["check 1", "complete 4", "check 3"]);
    expect([messageOf(await first), messageOf(await third)]).toEqual(["a", "b"]);
  });

  it("rest if the worker does not answer, longer each time, and begin again with the resource types", async () => {
    const world = newWorld();
    world.client.setContext({ resourceTypes: [{ name: "t" }] });
    const unanswered = world.client.ask(check("endless"));
    world.ready();
    await vi.advanceTimersByTimeAsync(ANSWER_MS);
    expect(await unanswered).toBeUndefined();
    expect([world.started[0]?.hasEnded, world.rests]).toEqual([true, [true]]);
    expect(await world.client.ask(check("at rest"))).toBeUndefined();
    await vi.advanceTimersByTimeAsync(REST_MS);
    expect(world.rests).toEqual([true, false]);
    void world.client.ask(check("endless"));
    world.ready();
    expect(world.asked()).toEqual(["context", "check endless"]);
    await vi.advanceTimersByTimeAsync(ANSWER_MS + REST_MS);
    expect(world.rests).toEqual([true, false, true]);
    await vi.advanceTimersByTimeAsync(REST_MS);
    expect(world.rests).toEqual([true, false, true, false]);
  });

  it("are asked before the worker is ready, and answered with the newest text once it is", async () => {
    const world = newWorld();
    const [older, newer] = [world.client.ask(check("1")), world.client.ask(check("2"))];
    const hover = world.client.ask({ ...check("2"), kind: "hover", at: 0 });
    world.client.setContext({ resourceTypes: [{ name: "t" }] });
    expect([await older, world.asked()]).toEqual([undefined, []]);
    world.ready();
    world.answer([]);
    world.answer(["a"]);
    expect(world.asked()).toEqual(["context", "hover 2", "check 2"]);
    expect([await hover, messageOf(await newer)]).toEqual([{ problems: [], scripts: [], unknown: [] }, "a"]);
  });

  it.each([
    ["fails", (world: World) => world.fail()],
    ["never becomes ready", () => vi.advanceTimersByTimeAsync(START_MS)],
  ])("leave no question without an end if the worker %s, and are asked again after the rest", async (_, end) => {
    const world = newWorld();
    const questions = [world.client.ask(check("1")), world.client.ask({ ...check("1"), kind: "complete", at: 0 })];
    await end(world);
    expect(await Promise.all(questions)).toEqual([undefined, undefined]);
    await vi.advanceTimersByTimeAsync(REST_MS);
    const again = world.client.ask(check("2"));
    world.ready();
    world.answer(["b"]);
    expect([world.rests, messageOf(await again)]).toEqual([[true, false], "b"]);
  });

  it("end with the last editor, and begin again with the next question", async () => {
    const world = newWorld();
    const waiting = world.client.ask(check("1"));
    world.client.end();
    expect(await waiting).toBeUndefined();
    void world.client.ask(check("2"));
    expect([world.started.length, world.started[0]?.hasEnded]).toEqual([2, true]);
  });
});

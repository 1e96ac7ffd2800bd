import { describe, expect, it } from "vitest";
import type { StateMachines } from "../../../ports/executions.ts";
import type { Uses } from "../../uses.ts";
import { deleteIdleMachines, selectHourlyShare } from "./delete-idle-machines.ts";

const hour = 3_600_000;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("deleteIdleMachines", () => {
  it.each([0, 1, 20, 21, 999])("checks all of %i machines within some hours, a few per hour", (count) => {
    const all = numbers(count);
    const rounds = numbers(Math.max(1, Math.ceil(count / 20))).map((at) => selectHourlyShare(all, 400_000 + at));
    expect(rounds.flat().sort((a, b) => a - b)).toEqual(all);
    for (const round of rounds) expect(round.length).toBeLessThanOrEqual(20);
  });

  it("checks machines only in the first minute of an hour, although housekeeping runs every minute", async () => {
    let request = 0;
    const isolation = { attempt: async () => ({ ok: false as const }) } as unknown as Uses<"isolation">["isolation"];
    const stateMachines = { deleteIdleStateMachines: async () => ++request } as unknown as StateMachines;
    for (const minute of numbers(180))
      await deleteIdleMachines({ stateMachines, stack: "svc", isolation, nowMs: () => 400_000 * hour + minute * 60_000 }, 0);
    expect(request).toBe(3);
  });
});

import { expect, it } from "vitest";
import { groupUsers } from "./users.ts";

it("the places in one object are one entry, and an HTTP route is no other trigger", () => {
  const flow = { kind: "flow", path: "f/t/a" } as const;
  expect(
    groupUsers([
      { ...flow, where: "step a" },
      { ...flow, where: "step b: code" },
      { kind: "trigger", trigger_kind: "http", path: "f/t/a", where: "script_path" },
      { kind: "trigger", trigger_kind: "sqs", path: "f/t/a", where: "script_path" },
    ]),
  ).toEqual([
    { ...flow, places: ["step a", "step b: code"] },
    { kind: "http", path: "f/t/a", places: ["script_path"] },
    { kind: "trigger", path: "f/t/a", places: ["script_path"] },
  ]);
});

import { expect, it } from "vitest";
import { findConsequences } from "./find-consequences.ts";

it("a removal stops the enabled schedules and routes with the rights of the user, and leaves folders without an owner", () => {
  const runs = (path: string, permissioned_as: string) => ({ path, permissioned_as, enabled: true, mode: "enabled" });
  expect(
    findConsequences("ann", {
      schedules: [runs("f/a/mine", "u/ann"), runs("f/a/other", "u/anna"), { ...runs("f/a/off", "u/ann"), enabled: false }],
      routes: [runs("f/a/route", "u/ann"), runs("f/a/group", "g/ann"), { ...runs("f/a/gone", "u/ann"), mode: "disabled" }],
      triggers: [runs("f/a/queue", "u/ann"), runs("f/a/mail", "u/bob")],
      folders: [
        { name: "alone", owners: ["u/ann"] },
        { name: "shared", owners: ["u/ann", "u/bob"] },
        { name: "none", owners: [] },
      ],
      groups: ["all", "buyers"],
    }),
  ).toEqual({ schedules: ["f/a/mine"], routes: ["f/a/route"], triggers: ["f/a/queue"], folders: ["alone"], groups: ["buyers"] });
});

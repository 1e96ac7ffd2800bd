import { describe, expect, it } from "vitest";
import { kindNames } from "../contract/kinds/kinds.ts";
import { itemsOfKinds } from "./kind-items.ts";
import { KIND_PARTITION } from "./objects/kind-object.ts";

describe("the kinds of objects at paths", () => {
  it("have keys of one form, except those whose stored items are older", () => {
    const older = [...itemsOfKinds].filter(([, { leadingKeys }]) => !leadingKeys.startsWith(`${KIND_PARTITION}#`));
    const triggers = ["http_trigger", "sqs_trigger", "aws_trigger", "email_trigger"];
    expect(new Set(older.map(([kind]) => kind))).toEqual(
      new Set(["script", "flow", "app", "variable", "resource", "schedule", ...triggers]),
    );
  });

  it("do not include kinds with a name, the settings of a workspace, and kinds that svc lacks", () => {
    expect(kindNames.filter((kind) => !itemsOfKinds.has(kind))).toEqual(
      expect.arrayContaining(["resource_type", "folder", "user", "group", "settings", "encryption_key", "raw_app"]),
    );
  });
});

import { expect, it } from "vitest";
import type { Change } from "./changes.ts";
import { describeQuestion } from "./plan-text.ts";

const aChange = (kind: string, value: unknown, type: Change["type"] = "create"): Change => {
  const remote = { item: { kind, path: "f/a/b", value } } as Change["remote"];
  return { key: `${kind} f/a/b`, type, kind, path: "f/a/b", ...(remote ? { remote } : {}) };
};
const secret = aChange("variable", { value: "v", is_secret: true });
const plain = aChange("variable", { value: "v", is_secret: false });
const key = aChange("encryption_key", "k");

it.each<[string, Change[], boolean, string]>([
  ["secrets that svc.yaml wants as plain text", [secret, plain, secret], true, "Change 3 items here, with 2 secrets as plain text?"],
  ["encrypted secrets", [secret, plain], false, "Change 2 items here?"],
  ["a secret that is removed", [aChange("variable", { is_secret: true }, "delete"), plain], true, "Change 2 items here?"],
  ["the key", [key, secret], true, "Change 2 items here, with 1 secret as plain text and the key that decrypts exported secrets?"],
])("the question before a pull names %s", (_, changes, plainSecrets, question) => {
  expect(describeQuestion(changes, "pull", { plainSecrets })).toBe(question);
});

it("the question before a push names the workspace", () => {
  expect(describeQuestion([secret], "push", { plainSecrets: true })).toBe("Change 1 items in the workspace?");
});

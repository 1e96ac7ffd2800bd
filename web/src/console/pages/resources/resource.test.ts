import { expect, it } from "vitest";
import { keepableResource, newResource, resourceFields } from "./resource.ts";

const text = { type: "string" };
const schema = {
  type: "object",
  properties: {
    host: text,
    pin: { ...text, format: "password" },
    api_token: text,
    login: { type: "object", properties: { user: text, password: text } },
  },
};
const value = { host: "db", pin: "s-1", api_token: "s-2", login: { user: "ann", password: "s-3" }, more: "s-4" };

it("the draft of a resource leaves out what its type marks as a secret, what is named like one, and what its type does not name", () => {
  expect(keepableResource({ ...newResource, path: "f/ops/db", type: "acme", value }, schema)).toEqual({
    path: "f/ops/db",
    type: "acme",
    description: "",
    value: { host: "db", login: { user: "ann" } },
  });
});

it("the draft of a resource whose type names no fields contains no value", () => {
  for (const unknown of [undefined, {}, { type: "object" }]) {
    expect(keepableResource({ ...newResource, value }, unknown)).toEqual({ path: "", type: "", description: "" });
  }
});

it("the values of two versions are compared as JSON", () => {
  expect(resourceFields.map(({ toText }) => toText({ ...newResource, path: "f/ops/db", value: { host: "db" } }))).toEqual([
    "f/ops/db",
    "",
    "",
    '{\n  "host": "db"\n}',
  ]);
});

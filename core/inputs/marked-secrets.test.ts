import { expect, it } from "vitest";
import { removeMarkedSecrets } from "./marked-secrets.ts";

const schema = (format: string) => ({ properties: { one: { type: "object", format } } });

it.each<[string, unknown, boolean]>([
  ["a reference", "$res:f/ops/db", true],
  ["a stored file", { s3: "f/ops/report.csv" }, true],
  ["a stored file of a named storage", { s3: "report.csv", storage: "archive", filename: "May" }, true],
  ["a stored file with a signature", { s3: "report.csv", presigned: "exp=1&sig=2" }, false],
  ["the value of a resource", { host: "db", password: "secret" }, false],
])("%s in the place of a resource", (_, one, isKept) => {
  expect(removeMarkedSecrets({ one }, schema("resource-s3_object"))).toEqual(isKept ? { one } : {});
});

import { expect, it } from "vitest";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { listExampleVariables } from "./contextual.ts";

it("the list of contextual variables describes an example job of the caller, without a token", () => {
  const listed = listExampleVariables({ baseUrl: "http://svc.test", nowMs: () => 0 }, anAdmin, "demo");
  const values = Object.fromEntries(listed.map(({ name, value }) => [name, value]));
  expect(values).toMatchObject({
    WM_EMAIL: "ann@example.com",
    WM_PERMISSIONED_AS: "u/ann",
    WM_WORKSPACE: "demo",
    WM_JOB_ID: "00000000-0000-0000-0000-000000000000",
    WM_JOB_PATH: "f/example/script",
    WM_TOKEN: "",
  });
  expect(listed.map(({ name }) => name)).toEqual(listed.map(({ name }) => name).sort());
});

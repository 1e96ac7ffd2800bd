import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { afterAll, beforeAll, expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { readings } from "../../support/docs/pages.ts";
import { newReaderHome, readAloud } from "../../support/docs/reader.ts";

const root = path.join(import.meta.dirname, "../../..");
// Below the checkout, so that the compiler finds its libraries.
const folder = mkdtempSync(path.join(root, ".svc/openapi-"));
afterAll(() => rmSync(folder, { recursive: true }));

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
  expectStatus(await ws.post("folders/create", { name: "examples" }), 201);
  const schema = { type: "object", properties: { item: { type: "string" }, count: { type: "integer" } }, required: ["item"] };
  const content = "export const main = (item: string, count = 1) => count + item;";
  await ws.saveScript({ path: "f/examples/order", language: "bun", summary: "Order", content, schema });
  const route = {
    path: "f/examples/orders",
    script_path: "f/examples/order",
    is_flow: false,
    route_path: "orders/:item",
    http_method: "post",
  };
  expectStatus(await ws.post("http_triggers/create", { ...route, workspaced_route: true }), 201);
});

it("docs/openapi.md: the examples give a document and a file", async () => {
  const home = newReaderHome(ws.id);
  const [shown = ""] = await readAloud(readings.openapi, { workspace: ws.id, home });
  const document = JSON.parse(shown) as { info: object; paths: object };
  expect(document.info).toEqual({ title: "Shop", version: "1.0.0" });
  expect(Object.keys(document.paths)).toContain(`/api/r/${ws.id}/orders/{item}`);
  const file = readFileSync(path.join(home, "openapi.yaml"), "utf8");
  rmSync(home, { recursive: true });
  expect(file).toContain(`/api/r/${ws.id}/orders/{item}`);
  expect((await new Validator().validate(file)).valid).toBe(true);
});

it("a download is a file, and an expression that cannot be read is refused with its place", async () => {
  const { headers } = expectStatus(await ws.post("openapi/download", {}), 200);
  expect(headers.get("content-disposition")).toBe('attachment; filename="openapi.yaml"');
  const refused = await ws.post("openapi/generate", { http_route_filters: [{ folder_regex: "(" }] });
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("http_route_filters.0.folder_regex")]);
});

it("a client generated from a document compiles, and calls a webhook", async () => {
  const { text } = expectStatus(await ws.post("openapi/generate", { openapi_spec_format: "json" }), 200);
  writeFileSync(path.join(folder, "document.ts"), astToString(await openapiTS(text)));
  const write = (name: string, body: string) => {
    const file = path.join(folder, name);
    writeFileSync(
      file,
      `import type { paths } from "./document.ts";
const at = "/api/w/${ws.id}/jobs/run_wait_result/p/f/examples/order" as const satisfies keyof paths;
type Body = NonNullable<paths[typeof at]["post"]["requestBody"]>["content"]["application/json"];
const body: Body = ${body};
const [, , server, token] = process.argv;
const headers = { authorization: \`Bearer \${token}\`, "content-type": "application/json" };
const answer = await fetch(server + at, { method: "POST", headers, body: JSON.stringify(body) });
console.log(await answer.text());
`,
    );
    return file;
  };
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true, types: ["node"] },
    ...{ target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  };
  const check = (file: string) =>
    ts
      .getPreEmitDiagnostics(ts.createProgram([file], { ...options, moduleDetection: ts.ModuleDetectionKind.Force }))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  const client = write("client.mts", `{ item: "tea", count: 2 }`);
  expect(check(client)).toEqual([]);
  expect(check(write("wrong.mts", `{ item: 7 }`))).toEqual([expect.stringContaining("not assignable")]);
  const shown = execFileSync(process.execPath, [client, shared().url, shared().token], { encoding: "utf8" });
  expect(JSON.parse(shown)).toBe("2tea");
});

import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { root, svcDir } from "../../../engine/paths.ts";
import { api } from "../../support/api/api.ts";
import { newWorkspace } from "../../support/api/workspace.ts";
import type { TestInstance } from "../../support/engine/instances.ts";

/** The name is that of an abandoned instance, so that the next run removes it if this one is killed. */
const checkout = path.join(svcDir, `test-${process.pid}-900`);

let instance: TestInstance;
beforeAll(async () => {
  copyCheckout();
  cpSync(path.join(root, "test/fixtures/toy-language"), path.join(checkout, "runners/toy"), { recursive: true });
  appendFileSync(path.join(checkout, "runners/manifests.ts"), 'export { toy } from "./toy/manifest.ts";\n');
  const { ensureSnapshot, startFromSnapshot } = (await import(
    path.join(checkout, "test/support/engine/instances.ts")
  )) as typeof import("../../support/engine/instances.ts");
  // The snapshot that the run shares was deployed without the toy language.
  instance = await startFromSnapshot(await ensureSnapshot());
});
afterAll(async () => {
  await instance?.stop();
  rmSync(checkout, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

/** Copies the sources. Installed packages and tools are linked, because they do not change with a language. */
function copyCheckout(): void {
  const left = new Set([".git", ".svc", "cdk.out", "dist", "docs", "node_modules"]);
  for (const name of readdirSync(root)) {
    if (!left.has(name)) cpSync(path.join(root, name), path.join(checkout, name), { recursive: true });
  }
  symlinkSync(path.join(root, "node_modules"), path.join(checkout, "node_modules"));
  mkdirSync(path.join(checkout, ".svc"));
  for (const name of readdirSync(svcDir)) {
    const state = /^(test-|local|bench)|\.(lock|log|json)$/.test(name);
    if (!state) symlinkSync(path.join(svcDir, name), path.join(checkout, ".svc", name));
  }
  // The pages are the same, so they need not be built again.
  const pages = path.join(root, "dist/web");
  if (existsSync(pages)) cpSync(pages, path.join(checkout, "dist/web"), { recursive: true });
}

it("a language that is one folder and one line in the list of manifests is saved, built and run", async () => {
  const workspace = await newWorkspace(api({ url: instance.url, token: instance.admin.token }));
  const hash = await workspace.saveScript({ path: "f/t/toy", language: "toy", content: "echo name" });
  expect((await workspace.get(`scripts/deployment_status/h/${hash}`)).json).toMatchObject({ lock: "" });
  expect(await workspace.runWait("f/t/toy", { name: "Ada" })).toMatchObject({ status: 200, json: "Ada" });
});

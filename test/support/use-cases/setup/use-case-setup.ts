import { mkdirSync } from "node:fs";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { removeInstance } from "../../../../engine/engine/instance.ts";
import { startMinistack } from "../../../../engine/engine/ministack.ts";
import { freePort } from "../../../../engine/engine/ports.ts";
import { ensurePythonTools } from "../../../../engine/launch/venv.ts";
import { svcDir } from "../../../../engine/paths.ts";
import { removeAbandonedInstances } from "../../engine/instances.ts";
import { createSharedResources, type UseCaseResources } from "./engine-resources.ts";

declare module "vitest" {
  interface ProvidedContext {
    useCases: UseCaseResources;
  }
}

/** Starts one engine for all use-case tests. Nothing is deployed to it: use cases run in the tests' own processes. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeAbandonedInstances();
  const dir = path.join(svcDir, `test-${process.pid}-services`);
  mkdirSync(path.join(dir, "engine"), { recursive: true });
  const tools = await ensurePythonTools(() => undefined);
  const engine = await startMinistack({ dir: path.join(dir, "engine"), port: await freePort(), tools });
  project.provide("useCases", await createSharedResources(engine.endpoint));
  return async () => {
    await engine.kill();
    await removeInstance(dir);
  };
}

import { vi } from "vitest";
import { env } from "../../../contract/env.ts";
import { engineCredentials } from "../../../engine/engine/child-env.ts";
import type { TestInstance } from "./instances.ts";

/**
 * Lets modules of the service that are imported after this call, and only those, work on an instance's tables in the test's own process.
 * `vi.unstubAllEnvs` ends it.
 */
export function stubServiceEnv({ endpoint, outputs }: Pick<TestInstance, "endpoint" | "outputs">): void {
  // AWS clients are created once and keep their endpoint.
  vi.resetModules();
  const variables = {
    ...engineCredentials,
    AWS_ENDPOINT_URL: endpoint,
    [env.jobsTable]: outputs["JobsTable"] ?? "",
    [env.objectsTable]: outputs["ObjectsTable"] ?? "",
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
}

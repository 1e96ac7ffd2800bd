import { vi } from "vitest";
import { env } from "../../../contract/env.ts";
import { engineCredentials } from "../../../engine/engine/child-env.ts";
import type { TestInstance } from "./instances.ts";

/** Lets modules that are imported after this call, and only those, send their AWS requests to an address. `vi.unstubAllEnvs` ends it. */
export function stubAws(endpoint: string, variables: Readonly<Record<string, string>> = {}): void {
  // AWS clients are created once and keep their endpoint.
  vi.resetModules();
  for (const [name, value] of Object.entries({ ...engineCredentials, AWS_ENDPOINT_URL: endpoint, ...variables })) vi.stubEnv(name, value);
}

/**
 * Lets modules of the service that are imported after this call, and only those, work on an instance's tables in the test's own process.
 * `vi.unstubAllEnvs` ends it.
 */
export function stubServiceEnv({ endpoint, outputs }: Pick<TestInstance, "endpoint" | "outputs">): void {
  stubAws(endpoint, { [env.jobsTable]: outputs["JobsTable"] ?? "", [env.objectsTable]: outputs["ObjectsTable"] ?? "" });
}

import { createHash } from "node:crypto";
import { mapInParallel } from "../../contract/utilities/map-in-parallel.ts";
import { type ApiClient, ApiError } from "../api/client.ts";
import type { Output } from "../output/output.ts";

const hash = (source: string): string => createHash("sha256").update(source).digest("hex");

/**
 * Stores the given sources that the workspace lacks for a day, and returns their hashes by path, so that builds of scripts that import them find
 * them. A service without these routes finds imports only among its own scripts, so a warning is printed.
 */
export async function storeTempSources(
  client: ApiClient,
  sources: ReadonlyMap<string, string>,
  { output, parallel }: { output: Pick<Output, "say">; parallel: number },
): Promise<Map<string, string>> {
  const stored = new Map<string, string>();
  if (sources.size === 0) return stored;
  const scripts = Object.fromEntries([...sources].map(([path, source]) => [path, hash(source)]));
  try {
    const differing = await client.call.scripts.diffTemp({ body: { scripts } });
    await mapInParallel(differing, parallel, async (path) => {
      stored.set(path, (await client.call.scripts.storeTemp({ body: sources.get(path) ?? "" })).trim());
    });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404 && error.code !== "workspace.notFound")) throw error;
    output.say("Warning: this service builds imports only from saved scripts. Push the imported scripts first if a lock cannot be built.");
  }
  return stored;
}

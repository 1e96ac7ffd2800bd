import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { instanceRoutes as routes } from "../../contract/routes/instance/instance.ts";
import { on, type RouteHandler } from "../shared/edge.ts";
import type { Reply } from "../shared/reply.ts";

/** `lib/api/cli-package.ts` builds these files. Their addresses stay the same in later versions, so browsers and npm ask again. */
async function sendFile(name: string, contentType: string): Promise<Reply> {
  const bytes = await readFile(join(import.meta.dirname, "cli", name));
  return {
    statusCode: 200,
    headers: { "content-type": contentType, "cache-control": "no-cache", "x-content-type-options": "nosniff" },
    body: bytes.toString("base64"),
    isBase64Encoded: true,
  };
}

export const cliRoutes: RouteHandler<unknown>[] = [
  on(routes.cliPackage, () => sendFile("svc-cli.tgz", "application/gzip")),
  on(routes.configSchema, () => sendFile("svc.schema.json", "application/schema+json")),
];

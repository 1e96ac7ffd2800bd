import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SvcError } from "../../contract/errors.ts";
import type { Route } from "../../contract/route.ts";
import { instanceRoutes as routes } from "../../contract/routes/instance/instance.ts";
import { on, type RouteHandler } from "../shared/edge.ts";
import type { Reply } from "../shared/reply.ts";

/** `lib/api/cli-package.ts` builds these files. Their addresses stay the same in later versions, so browsers and npm ask again. */
async function sendFile(route: Route, name: string, contentType: string): Promise<Reply> {
  const bytes = await readFile(join(import.meta.dirname, "cli", name)).catch((error: NodeJS.ErrnoException) => {
    // Only a bundle has the files, not the sources.
    throw error.code === "ENOENT" ? new SvcError("route.unknown", { method: "GET", path: route.path }) : error;
  });
  return {
    statusCode: 200,
    headers: { "content-type": contentType, "cache-control": "no-cache", "x-content-type-options": "nosniff" },
    body: bytes.toString("base64"),
    isBase64Encoded: true,
  };
}

export const cliRoutes: RouteHandler<unknown>[] = [
  on(routes.cliPackage, () => sendFile(routes.cliPackage, "svc-cli.tgz", "application/gzip")),
  on(routes.configSchema, () => sendFile(routes.configSchema, "svc.schema.json", "application/schema+json")),
];

import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative } from "node:path";
import { SvcError } from "../../contract/errors.ts";
import type { Route } from "../../contract/route.ts";
import { instanceRoutes as routes } from "../../contract/routes/instance/instance.ts";
import { on, type RouteHandler } from "../shared/edge/edge.ts";
import type { Reply } from "../shared/reply/reply.ts";

/** `lib/api/cli-package.ts` builds these files. Only a bundle has them, not the sources. */
const folder = join(import.meta.dirname, "cli");
const CLIENTS = "clients";

/** The addresses are the same in later versions, so browsers and package managers must revalidate. */
async function sendFile(route: Pick<Route, "path">, name: string, contentType: string): Promise<Reply> {
  const bytes = await readFile(join(folder, name)).catch(throwUnknown(route));
  return {
    statusCode: 200,
    headers: { "content-type": contentType, "cache-control": "no-cache", "x-content-type-options": "nosniff" },
    body: bytes.toString("base64"),
    isBase64Encoded: true,
  };
}

const throwUnknown =
  ({ path }: Pick<Route, "path">) =>
  (error: NodeJS.ErrnoException): never => {
    throw error.code === "ENOENT" ? new SvcError("route.unknown", { method: "GET", path }) : error;
  };

const contentTypes: Readonly<Record<string, string>> = {
  ".tgz": "application/gzip",
  ".whl": "application/zip",
  ".zip": "application/zip",
  ".info": "application/json",
};

async function listClientPackages(route: Pick<Route, "path">): Promise<string[]> {
  const entries = await readdir(join(folder, CLIENTS), { recursive: true, withFileTypes: true }).catch(throwUnknown(route));
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => relative(join(folder, CLIENTS), join(parentPath, name)));
}

/** Sends one of the packages of the client libraries. For clients of module proxies, 404 means "try the next proxy". */
async function sendClientPackage(path: string): Promise<Reply> {
  const route = { path: `/clients/${path}` as const };
  // A path that is not in the list could lead out of the folder.
  if (!(await listClientPackages(route)).includes(path)) throw new SvcError("route.unknown", { method: "GET", path: route.path });
  return sendFile(route, join(CLIENTS, path), contentTypes[extname(path)] ?? "text/plain");
}

export const cliRoutes: RouteHandler<unknown>[] = [
  on(routes.cliPackage, () => sendFile(routes.cliPackage, "svc-cli.tgz", "application/gzip")),
  on(routes.configSchema, () => sendFile(routes.configSchema, "svc.schema.json", "application/schema+json")),
  on(routes.clientPackage, ({ params }) => sendClientPackage(params.path)),
];

import { join } from "node:path";
import { instanceRoutes as routes } from "../../contract/routes/instance/instance.ts";
import { basePath } from "../shared/edge/base-path.ts";
import { on, type RouteHandler } from "../shared/edge/edge.ts";
import { text } from "../shared/reply/reply.ts";
import { staticFiles } from "../shared/reply/static-files.ts";

/** `lib/api/reference.ts` bundles these files. */
const serveFile = staticFiles({
  folder: join(import.meta.dirname, "reference"),
  policy: [],
  page: {},
});

export const referenceRoutes: RouteHandler<unknown>[] = [
  // The page for signing in continues to the last workspace if the visitor is signed in.
  on(routes.home, async () => text(303, "The console is at /login.", { Location: `${basePath()}/login`, "Cache-Control": "no-store" })),
  on(routes.reference, ({ headers }) => serveFile("index.html", routes.reference.path, headers["accept-encoding"])),
  on(routes.referenceFile, ({ params, headers }) => serveFile(params.file, `/docs/${params.file}`, headers["accept-encoding"])),
];

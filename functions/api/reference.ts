import { join } from "node:path";
import { instanceRoutes as routes } from "../../contract/routes/instance/instance.ts";
import { on, type RouteHandler } from "../shared/edge.ts";
import { PAGE_POLICY, staticFiles } from "../shared/static-files.ts";

/** `lib/api/reference.ts` bundles these files. */
const serveFile = staticFiles({
  folder: join(import.meta.dirname, "reference"),
  policy: PAGE_POLICY,
  page: { "cache-control": "no-cache" },
});

export const referenceRoutes: RouteHandler<unknown>[] = [
  on(routes.reference, ({ headers }) => serveFile("index.html", routes.reference.path, headers["accept-encoding"])),
  on(routes.referenceFile, ({ params, headers }) => serveFile(params.file, `/docs/${params.file}`, headers["accept-encoding"])),
];

import { join } from "node:path";
import { SvcError } from "../../contract/errors.ts";
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
  on(routes.home, async ({ headers }) => {
    // Redirects a person who enters the address of the deployment. A program that calls it has a wrong address, and receives 404.
    if (!headers["accept"]?.includes("text/html")) throw new SvcError("route.unknown", { method: "GET", path: "/" });
    return text(303, "The reference of this API is at /docs.", {
      Location: `${basePath()}/docs`,
      "Cache-Control": "no-store",
      Vary: "Accept",
    });
  }),
  on(routes.reference, ({ headers }) => serveFile("index.html", routes.reference.path, headers["accept-encoding"])),
  on(routes.referenceFile, ({ params, headers }) => serveFile(params.file, `/docs/${params.file}`, headers["accept-encoding"])),
];

import { join } from "node:path";
import { instanceRoutes as routes } from "../../contract/routes/instance/instance.ts";
import { type Handled, on } from "../shared/edge.ts";
import { PAGE_POLICY, staticFiles } from "../shared/static-files.ts";

/** Put there by `lib/api/reference.ts`. */
const file = staticFiles({
  folder: join(import.meta.dirname, "reference"),
  policy: PAGE_POLICY,
  page: { "cache-control": "no-cache" },
});

export const reference: Handled<unknown>[] = [
  on(routes.reference, ({ headers }) => file("index.html", routes.reference.path, headers["accept-encoding"])),
  on(routes.referenceFile, ({ params, headers }) => file(params.file, `/docs/${params.file}`, headers["accept-encoding"])),
];

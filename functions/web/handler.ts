import { join } from "node:path";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { webRoutes as routes } from "../../contract/routes/instance/web.ts";
import { apiHandler, on } from "../shared/edge.ts";
import type { Reply } from "../shared/reply.ts";
import { PAGE_POLICY, staticFiles } from "../shared/static-files.ts";

/** Put there by `lib/api/web.ts`. */
const file = staticFiles({
  folder: join(import.meta.dirname, "site"),
  // HTML that a flow brings is taken from the sanitiser alone.
  policy: [...PAGE_POLICY, "require-trusted-types-for 'script'", "trusted-types dompurify"],
  page: {
    // The address of a page may be a secret: it is kept nowhere and told to nobody.
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex, nofollow",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
  },
});

const approvalPage = ({ headers }: { headers: Readonly<Record<string, string | undefined>> }) =>
  file("approve.html", "/approve", headers["accept-encoding"]);

const answer = apiHandler<unknown>(
  [
    on(routes.approvalPage, approvalPage),
    on(routes.signedInApprovalPage, approvalPage),
    on(routes.asset, ({ params, headers }) => file(params.file, `/assets/${params.file}`, headers["accept-encoding"])),
  ],
  async () => undefined,
);

/** The pages of the console: files, and nothing that knows anything. `HEAD` is answered as `GET` is, without the body: scanners of mail ask so. */
export async function handler(event: APIGatewayProxyEvent, context: Context): Promise<Reply> {
  if (event.httpMethod !== "HEAD") return answer(event, context);
  const reply = await answer({ ...event, httpMethod: "GET" }, context);
  return { ...reply, body: "", isBase64Encoded: false };
}

import { join } from "node:path";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { webRoutes as routes } from "../../contract/routes/instance/web.ts";
import { apiHandler, on } from "../shared/edge/edge.ts";
import type { Reply } from "../shared/reply/reply.ts";
import { staticFiles } from "../shared/reply/static-files.ts";
import { cliRoutes } from "./cli.ts";

/** `lib/api/web.ts` and `lib/api/guides.ts` bundle these files. */
const options = {
  folder: join(import.meta.dirname, "site"),
  // HTML from a flow is accepted only from the sanitizer.
  policy: ["require-trusted-types-for 'script'", "trusted-types dompurify"],
  page: {
    // The address of a page may contain a secret, so it must not be sent to other sites.
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex, nofollow",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
  },
};
const serveFile = staticFiles(options);
/** The editors of the console start workers. A policy of the page allows only its own files, because the replies of scripts have the same origin. */
const serveConsole = staticFiles({
  ...options,
  policy: ["worker-src 'self'", "require-trusted-types-for 'script'", "trusted-types dompurify svc-worker"],
});

const approvalPage = ({ headers }: { headers: Readonly<Record<string, string | undefined>> }) =>
  serveFile("approve.html", "/approve", headers["accept-encoding"]);

const consolePage = ({ headers }: { headers: Readonly<Record<string, string | undefined>> }) =>
  serveConsole("console.html", "/login", headers["accept-encoding"]);

const devicePage = ({ headers }: { headers: Readonly<Record<string, string | undefined>> }) =>
  serveFile("device.html", "/device", headers["accept-encoding"]);

const answer = apiHandler<unknown>(
  [
    on(routes.approvalPage, approvalPage),
    on(routes.signedInApprovalPage, approvalPage),
    on(routes.devicePage, devicePage),
    on(routes.signInPage, consolePage),
    on(routes.workspacePage, consolePage),
    on(routes.accountPage, consolePage),
    on(routes.instancePage, consolePage),
    on(routes.chatLinkPage, consolePage),
    on(routes.sharedRunPage, consolePage),
    on(routes.guides, ({ headers }) => serveFile("guides.html", routes.guides.path, headers["accept-encoding"])),
    on(routes.guide, ({ params: { name }, headers }) => serveFile(`guide-${name}.html`, `/docs/guide/${name}`, headers["accept-encoding"])),
    on(routes.asset, ({ params, headers }) => serveFile(params.file, `/assets/${params.file}`, headers["accept-encoding"])),
    ...cliRoutes,
  ],
  async () => undefined,
);

/** Serves the pages of the console and the packages of the command line and the clients as static files. `HEAD` is answered as `GET` without the body, because mail scanners use it. */
export async function handler(event: APIGatewayProxyEvent, context: Context): Promise<Reply> {
  if (event.httpMethod !== "HEAD") return answer(event, context);
  const reply = await answer({ ...event, httpMethod: "GET" }, context);
  return { ...reply, body: "", isBase64Encoded: false };
}

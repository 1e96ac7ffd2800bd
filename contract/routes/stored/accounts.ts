import * as z from "zod";
import { inWorkspace, runnablePath, workspaceId } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const w = "/api/w/{workspace}/oauth";
const post = { method: "POST", fn: "objects", auth: "token", status: 200 } as const;
const byId = z.object({ workspace: workspaceId, id: z.string().regex(/^\d{1,16}$/, "the number of an account") });
const access = { domain: "variables", verb: "write", need: "write", target: "request" } as const;

export const accountRoutes = {
  createAccount: defineRoute({
    ...post,
    name: "oauth.createAccount",
    summary:
      "Store the account of a completed connection, so that its token is refreshed. With `path`, also create the variable with the token.",
    path: `${w}/create_account`,
    audits: { kind: "Created", resource: { body: "path", otherwise: "client" } },
    access,
    params: inWorkspace,
    body: z.object({
      client: z.string().min(1).max(100),
      refresh_token: z.string().min(1).max(200_000).describe("The refresh_token of oauth/connect_callback."),
      path: runnablePath.nullish(),
      description: z.string().max(20_000).nullish(),
    }),
    reply: { text: "The id of the account, for `account` of a variable." },
    errors: ["account.token", "variable.exists", "variable.changedMeanwhile", "path.noFolder", "workspace.notFound"],
  }),
  refreshAccount: defineRoute({
    ...post,
    name: "oauth.refreshToken",
    summary: "Refresh the token of an account now.",
    path: `${w}/refresh_token/{id}`,
    audits: { kind: "Updated", resource: { param: "id" } },
    access,
    params: byId,
    reply: { text: "A confirmation." },
    errors: ["account.notFound", "account.notRefreshed", "account.busy"],
  }),
  disconnect: defineRoute({
    ...post,
    name: "oauth.disconnect",
    summary: "Remove an account. Its variable keeps the last token, which is no longer refreshed.",
    path: `${w}/disconnect/{id}`,
    audits: { kind: "Updated", resource: { param: "id" } },
    access,
    params: byId,
    reply: { text: "A confirmation." },
    errors: ["account.notFound", "account.busy"],
  }),
};

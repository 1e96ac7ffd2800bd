import { chatRoutes as routes } from "../../contract/routes/approvals/chats.ts";
import { buildSlackManifest } from "../../core/chats/slack/slack-manifest.ts";
import { apiHandler, on } from "../shared/edge/edge.ts";
import { json } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

const zip = (name: string, bytes: Buffer) => ({
  statusCode: 200,
  headers: { "Content-Type": "application/zip", "Content-Disposition": `attachment; filename="${name}"` },
  body: bytes.toString("base64"),
  isBase64Encoded: true,
});

/** Answers the vendors of chat applications. It may open their resources and nothing else, and asks function `approve` to decide. */
export const handler = apiHandler<unknown>(
  [
    on(routes.slackManifest, async ({ params }) => json(200, buildSlackManifest(deps.baseUrl, params))),
    on(routes.slack, async ({ params, headers, readPayload }) =>
      json(200, await (await import("./slack.ts")).answer({ ...params, headers, readPayload })),
    ),
    on(routes.discord, async ({ params, headers, readPayload }) =>
      json(200, await (await import("./discord.ts")).answer({ ...params, headers, readPayload })),
    ),
    on(routes.teamsManifest, async ({ params, query }) =>
      zip(
        "svc-teams.zip",
        (await import("../../services/chats/teams/teams-package.ts")).buildTeamsPackage(deps.baseUrl, { ...params, ...query }),
      ),
    ),
    on(routes.teams, async ({ params, headers, readPayload }) =>
      json(200, await (await import("./teams.ts")).answer({ ...params, headers, readPayload })),
    ),
  ],
  async () => undefined,
);

import * as z from "zod";
import { anyJson, approverName, atJob, atPath, runnablePath, workspaceId } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const text = (most: number) => z.string().max(most);
/** Objects as JSON text, in the query of helpers that send no body. */
const jsonText = text(20_000).optional();

/** The fields of a request for an approval, besides its resource and channel. */
const stepFields = {
  flow_step_id: text(200).describe("The id of the step in its flow. `id` is its job."),
  message: text(4000).optional().describe("A text for the approvers."),
  approver: approverName.optional().describe("The name of the approver, which the message shows."),
  default_args_json: jsonText.describe("Default values of the form in the chat, by field. They replace those that the step returns."),
  dynamic_enums_json: jsonText.describe("Choices of the form in the chat, by field. They replace those that the step returns."),
  resume_button_text: text(75).optional(),
  cancel_button_text: text(75).optional(),
};
const askFields = { channel_id: text(200).optional().describe("The id of the channel. Default: that of the resource."), ...stepFields };

/** The call of a step that asks for its approval. */
const asks = {
  access: { domain: "approvals", verb: "write", need: "run", target: "job" },
  audits: "nothing",
  fn: "approve",
  auth: "token",
  params: atJob,
  status: 200,
  reply: { text: "A sentence." },
  errors: ["job.notFound", "approval.none", "approval.over", "approval.link", "chat.notPosted"],
} as const;

/** A route without a token in function `chat`. */
const open = { access: "open", fn: "chat", auth: "none", status: 200 } as const;
const manifest = { ...open, method: "GET", params: z.object({ workspace: workspaceId, path: runnablePath }), errors: [] } as const;
/** The call of a vendor, whose signature is checked. */
const signed = { ...open, method: "POST", audits: "approvalLog", params: atPath, payload: true } as const;
const signedErrors = ["chat.noResource", "chat.signature", "body.tooLarge"] as const;

/** Routes that ask for an approval in a chat, and those that the vendors of chat applications call. */
export const chatRoutes = {
  askInSlack: defineRoute({
    ...asks,
    name: "chats.askInSlack",
    summary: "Post a message into a channel of Slack whose buttons approve or reject the step of a flow that calls this.",
    method: "GET",
    path: "/api/w/{workspace}/jobs/slack_approval/{id}",
    query: z.object({
      slack_resource_path: text(250).describe("The resource of type slack, which the caller must be allowed to read."),
      ...askFields,
    }),
  }),
  askInDiscord: defineRoute({
    ...asks,
    name: "chats.askInDiscord",
    summary: "Post a message into a channel of Discord whose buttons approve or reject the step of a flow that calls this.",
    method: "POST",
    path: "/api/w/{workspace}/jobs/discord_approval/{id}",
    body: z.object({
      discord_resource_path: text(250).describe("The resource of type discord, which the caller must be allowed to read."),
      ...askFields,
    }),
  }),
  slackManifest: defineRoute({
    ...manifest,
    name: "chats.slackManifest",
    summary: "Get the manifest of the Slack app for the resource at this path, which need not exist yet. It contains no secret.",
    path: "/api/w/{workspace}/chat/slack/manifest/{path+}",
    reply: { json: anyJson.describe("The manifest, as https://docs.slack.dev/reference/app-manifest describes it.") },
  }),
  slack: defineRoute({
    ...signed,
    name: "chats.slack",
    summary: "Answer a call of a Slack app: a click on a button, a submitted dialog, or the check of this address. Slack signs each call.",
    path: "/api/w/{workspace}/chat/slack/{path+}",
    reply: { json: anyJson.describe("The shape that Slack expects for the call.") },
    errors: signedErrors,
  }),
  discord: defineRoute({
    ...signed,
    name: "chats.discord",
    summary:
      "Answer a call of a Discord application: a click on a button, a submitted form, or the check of this address. Discord signs each call.",
    path: "/api/w/{workspace}/chat/discord/{path+}",
    reply: { json: anyJson.describe("The shape that Discord expects for the call.") },
    errors: signedErrors,
  }),
  askInTeams: defineRoute({
    ...asks,
    name: "chats.askInTeams",
    summary: "Post a card into a channel of Microsoft Teams whose buttons approve or reject the step of a flow that calls this.",
    method: "GET",
    path: "/api/w/{workspace}/jobs/teams_approval/{id}",
    query: z.object({
      team_name: text(200).describe("The name of a team in which the bot is installed."),
      channel_name: text(200).describe("The name of the channel. The first channel of a team is called General."),
      chat_resource_path: text(250)
        .optional()
        .describe(
          "The resource of type ms_teams_bot, which the caller must be allowed to read. Default: the one whose bot is in the team.",
        ),
      ...stepFields,
    }),
  }),
  postInTeams: defineRoute({
    name: "chats.postInTeams",
    summary:
      "Post a text and a card into a conversation of a bot in Microsoft Teams. For a step that requests approval, the address of its approval page follows.",
    method: "POST",
    path: "/api/teams/activities",
    access: { domain: "approvals", verb: "write", need: "self", target: "request" },
    audits: "nothing",
    fn: "approve",
    auth: "token",
    body: z.object({
      conversation_id: text(500)
        .min(1)
        .describe("The id of a channel or chat in which the bot of a resource that the caller may read is installed."),
      text: text(10_000).describe("The text, which is shown as it is."),
      card_block: z
        .record(z.string(), z.unknown())
        .nullish()
        .describe("An adaptive card of up to 24 KB whose buttons only open addresses."),
      success: z.boolean().nullish().describe("Marks the text as a success or a failure."),
    }),
    status: 200,
    reply: { text: "A sentence." },
    errors: ["chat.noConversation", "chat.notPosted"],
  }),
  teamsManifest: defineRoute({
    ...manifest,
    name: "chats.teamsManifest",
    summary: "Get the app package of the bot for the resource at this path, which need not exist yet. It contains no secret.",
    path: "/api/w/{workspace}/chat/teams/manifest/{path+}",
    query: z.object({ app_id: z.guid().describe("The application (client) id of the bot.") }),
    reply: { bytes: "A zip archive with the manifest and two icons, which Teams takes as a custom app." },
  }),
  teams: defineRoute({
    ...signed,
    name: "chats.teams",
    summary:
      "Answer a call of a bot in Microsoft Teams: a use of a card, or a change of the places where the bot is installed. The Bot Framework signs a token for each call.",
    path: "/api/w/{workspace}/chat/teams/{path+}",
    reply: { json: anyJson.describe("The shape that Teams expects for the call.") },
    errors: [...signedErrors, "service.busy"],
  }),
};

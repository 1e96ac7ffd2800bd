import { anyJson, atPath } from "../../common.ts";
import { defineRoute } from "../../route.ts";

/** Routes that the vendors of chat applications call. */
export const chatRoutes = {
  slack: defineRoute({
    name: "chats.slack",
    summary: "Answer a call of a Slack app: a click on a button, a submitted dialog, or the check of this address. Slack signs each call.",
    method: "POST",
    path: "/api/w/{workspace}/chat/slack/{path+}",
    access: "open",
    audits: "approvalLog",
    fn: "chat",
    auth: "none",
    params: atPath,
    payload: true,
    status: 200,
    reply: { json: anyJson.describe("The shape that Slack expects for the call.") },
    errors: ["chat.noResource", "chat.signature", "body.tooLarge"],
  }),
};

import { functions } from "../../aws/lambda/functions.ts";
import { chatRoutes as routes } from "../../contract/routes/approvals/chats.ts";
import { askInChat } from "../../services/chats/ask-in-chat.ts";
import { on } from "../shared/edge/edge.ts";
import { text } from "../shared/reply/reply.ts";
import { type ApproveRoutes, deps, requireActor } from "./deps.ts";

export const chatAskRoutes: ApproveRoutes = [
  on(routes.askInSlack, async ({ auth, params, query }) => {
    const { slack_resource_path: resource, channel_id: channel, flow_step_id: step, message, approver } = query;
    const { resume_button_text: approve, cancel_button_text: reject } = query;
    const form = { defaultsJson: query.default_args_json, enumsJson: query.dynamic_enums_json };
    const ask = { resource, channel, step, message, approver, buttons: { approve, reject }, form };
    await askInChat({ ...deps, functions }, { actor: requireActor(auth), action: routes.askInSlack }, params, ask);
    return text(200, "The message is posted.");
  }),
];

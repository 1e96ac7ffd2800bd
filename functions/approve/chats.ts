import { functions } from "../../aws/lambda/functions.ts";
import { chatRoutes as routes } from "../../contract/routes/approvals/chats.ts";
import { askInChat } from "../../services/chats/ask-in-chat.ts";
import { on } from "../shared/edge/edge.ts";
import { text } from "../shared/reply/reply.ts";
import { type ApproveRoutes, deps, requireActor } from "./deps.ts";

/** The fields of a request for an approval in a chat, which are the same for each vendor. */
interface AskFields {
  channel_id?: string | undefined;
  flow_step_id: string;
  message?: string | undefined;
  approver?: string | undefined;
  default_args_json?: string | undefined;
  dynamic_enums_json?: string | undefined;
  resume_button_text?: string | undefined;
  cancel_button_text?: string | undefined;
}

const toAsk = (resource: string, fields: AskFields) => ({
  resource,
  channel: fields.channel_id,
  step: fields.flow_step_id,
  message: fields.message,
  approver: fields.approver,
  buttons: { approve: fields.resume_button_text, reject: fields.cancel_button_text },
  form: { defaultsJson: fields.default_args_json, enumsJson: fields.dynamic_enums_json },
});

const posted = () => text(200, "The message is posted.");

export const chatAskRoutes: ApproveRoutes = [
  on(routes.askInSlack, async ({ auth, params, query: { slack_resource_path: resource, ...fields } }) => {
    await askInChat({ ...deps, functions }, { actor: requireActor(auth), action: routes.askInSlack }, params, toAsk(resource, fields));
    return posted();
  }),
  on(routes.askInDiscord, async ({ auth, params, body: { discord_resource_path: resource, ...fields } }) => {
    await askInChat({ ...deps, functions }, { actor: requireActor(auth), action: routes.askInDiscord }, params, toAsk(resource, fields));
    return posted();
  }),
];

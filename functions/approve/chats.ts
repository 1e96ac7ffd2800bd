import { functions } from "../../aws/lambda/functions.ts";
import { defined } from "../../contract/defined.ts";
import { chatRoutes as routes } from "../../contract/routes/approvals/chats.ts";
import { askInChat } from "../../services/chats/ask-in-chat.ts";
import { findTeamsChannel } from "../../services/chats/teams/find-place.ts";
import { postInTeams } from "../../services/chats/teams/post-in-teams.ts";
import { on } from "../shared/edge/edge.ts";
import { text } from "../shared/reply/reply.ts";
import { type ApproveRoutes, authenticateActor, deps, requireActor } from "./deps.ts";

/** The fields of a request for an approval in a chat, which are the same for each vendor. */
interface StepFields {
  flow_step_id: string;
  message?: string | undefined;
  approver?: string | undefined;
  default_args_json?: string | undefined;
  dynamic_enums_json?: string | undefined;
  resume_button_text?: string | undefined;
  cancel_button_text?: string | undefined;
}

const toAsk = (place: { resource: string; channel?: string | undefined }, fields: StepFields) => ({
  ...place,
  step: fields.flow_step_id,
  message: fields.message,
  approver: fields.approver,
  buttons: { approve: fields.resume_button_text, reject: fields.cancel_button_text },
  form: { defaultsJson: fields.default_args_json, enumsJson: fields.dynamic_enums_json },
});

const posted = () => text(200, "The message is posted.");

export const chatAskRoutes: ApproveRoutes = [
  on(routes.askInSlack, async ({ auth, params, query: { slack_resource_path: resource, channel_id: channel, ...fields } }) => {
    const caller = { actor: requireActor(auth), action: routes.askInSlack };
    await askInChat({ ...deps, functions }, caller, params, toAsk({ resource, channel }, fields));
    return posted();
  }),
  on(routes.askInDiscord, async ({ auth, params, body: { discord_resource_path: resource, channel_id: channel, ...fields } }) => {
    const caller = { actor: requireActor(auth), action: routes.askInDiscord };
    await askInChat({ ...deps, functions }, caller, params, toAsk({ resource, channel }, fields));
    return posted();
  }),
  on(
    routes.askInTeams,
    async ({ auth, params, query: { team_name: team, channel_name: channel, chat_resource_path: resource, ...fields } }) => {
      const caller = { actor: requireActor(auth), action: routes.askInTeams };
      const found = await findTeamsChannel(deps, caller.actor, { workspace: params.workspace, resource, team, channel });
      await askInChat({ ...deps, functions }, caller, params, toAsk({ resource: found.resource, channel: found.conversation }, fields));
      return posted();
    },
  ),
  on(routes.postInTeams, async ({ auth, body }) => {
    const { conversation_id: conversation, text: shown, card_block: card, success } = body;
    const caller = { actor: requireActor(auth), loadActor: (workspace: string) => authenticateActor(auth.sentToken, workspace) };
    const message = { conversation, text: shown, ...defined({ card: card ?? undefined, success: success ?? undefined }) };
    await postInTeams({ ...deps, functions }, caller, message);
    return posted();
  }),
];

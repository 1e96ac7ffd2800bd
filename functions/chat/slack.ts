import { slack } from "../../aws/http/chats/slack.ts";
import type { ReceivedCall } from "../../services/chats/received-call.ts";
import { answerSlackCall } from "../../services/chats/slack/answer-slack-call.ts";
import { deps } from "./deps.ts";

/** Answers a call of Slack. The function loads this code when Slack first calls it. */
export const answer = (call: ReceivedCall): Promise<object> => answerSlackCall({ ...deps, slack }, call);

import { slack } from "../../aws/http/chats/slack.ts";
import { answerSlackCall, type ReceivedCall } from "../../services/chats/answer-slack-call.ts";
import { deps } from "./deps.ts";

/** Answers a call of Slack. The function loads this code when Slack first calls it. */
export const answer = (call: ReceivedCall): Promise<object> => answerSlackCall({ ...deps, slack }, call);

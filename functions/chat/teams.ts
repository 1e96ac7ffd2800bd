import { teams } from "../../aws/http/chats/teams.ts";
import type { ReceivedCall } from "../../services/chats/received-call.ts";
import { answerTeamsCall } from "../../services/chats/teams/answer-teams-call.ts";
import { deps } from "./deps.ts";

/** Answers a call of Teams. The function loads this code when Teams first calls it. */
export const answer = (call: ReceivedCall): Promise<object> => answerTeamsCall({ ...deps, teams }, call);

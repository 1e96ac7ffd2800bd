import { streamHandler } from "../shared/reply/stream-response.ts";
import { answer } from "./answer.ts";

export const handler = streamHandler(answer);

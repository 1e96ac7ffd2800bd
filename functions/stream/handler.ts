import { streamHandler } from "../shared/stream-response.ts";
import { answer } from "./answer.ts";

export const handler = streamHandler(answer);

import { refusedAttempt } from "../../../core/deliveries/attempt.ts";
import type { GateNoticeSender } from "./sender.ts";

/** Chat applications. The channel exists so that flows can choose it, but it delivers nothing yet. */
export const chat: GateNoticeSender = {
  sendGateNotice: async () => refusedAttempt("notifications to chat applications are not supported yet"),
};

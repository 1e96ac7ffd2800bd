import type { DeliveryKinds } from "../../../services/deliveries/deliver-message.ts";
import { openEvent } from "../../../services/events/event-delivery.ts";
import type { GateNoticeDeps } from "../../../services/notifications/channels/sender.ts";
import { openGateNotice } from "../../../services/notifications/gate-notice-delivery.ts";
import { openMail } from "../../../services/notifications/mail-delivery.ts";
import { openRunNotice } from "../../../services/notifications/run-notice-delivery.ts";

/** The kinds of messages that function `deliver` sends. All of them share the queues, the schedule and the claims of services/deliveries. */
export function deliveryKinds(deps: GateNoticeDeps): DeliveryKinds {
  return {
    notice: (message) => openGateNotice(deps, message),
    mail: (message) => openMail(deps, message),
    run: (message) => openRunNotice(deps, message),
    event: (message) => openEvent(deps, message),
  };
}

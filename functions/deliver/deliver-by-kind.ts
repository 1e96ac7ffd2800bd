import { assertNever } from "../../contract/utilities/assert-never.ts";
import type { DeliveryMessage } from "../../core/deliveries/message.ts";
import { deliverMessage, type Received, type SendingPorts } from "../../services/deliveries/deliver-message.ts";
import { eventDelivery } from "../../services/events/event-delivery.ts";
import { gateNoticeDelivery } from "../../services/notifications/gate-notice-delivery.ts";
import { mailDelivery } from "../../services/notifications/mail-delivery.ts";
import { runNoticeDelivery } from "../../services/notifications/run-notice-delivery.ts";
import type { Uses } from "../../services/uses.ts";

/** Makes the attempt of a message. All kinds share the queues, the schedule and the claims of services/deliveries. Throws `DeliveryHeld`. */
export function deliverByKind(ports: SendingPorts & Uses<"deliveryQueue">, message: DeliveryMessage, receipt: Received): Promise<void> {
  switch (message.kind) {
    case "notice":
      return deliverMessage(ports, gateNoticeDelivery, message, receipt);
    case "mail":
      return deliverMessage(ports, mailDelivery, message, receipt);
    case "run":
      return deliverMessage(ports, runNoticeDelivery, message, receipt);
    case "event":
      return deliverMessage(ports, eventDelivery, message, receipt);
    default:
      return assertNever(message);
  }
}

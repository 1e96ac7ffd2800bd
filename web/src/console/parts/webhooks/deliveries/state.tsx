import type { DeliveryJson } from "../../../../../../contract/routes/events/deliveries.ts";
import { deliveriesText } from "../../../messages/webhooks.ts";

const colors = { pending: "running", sent: "succeeded", retrying: "suspended", failed: "failed" } as const;

/** The state of a delivery in words. The colour repeats them. */
export function DeliveryState({ state }: Pick<DeliveryJson, "state">) {
  return (
    <span className="state" data-state={colors[state]}>
      {deliveriesText.states[state]}
    </span>
  );
}

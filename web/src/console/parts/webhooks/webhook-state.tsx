import type { WebhookJson } from "../../../../../contract/routes/events/webhooks.ts";
import { Ago } from "../../../shared/time/ago.tsx";
import { webhooksText } from "../../messages/webhooks.ts";

/** Whether an endpoint receives events, why not, and since when its attempts fail. */
export function WebhookState({ webhook: { enabled, disabled_reason, failing_since } }: { webhook: WebhookJson }) {
  return (
    <>
      <span className="state" data-state={enabled && !failing_since ? "succeeded" : "failed"}>
        {enabled ? webhooksText.on : webhooksText.off}
      </span>
      {disabled_reason && <div>{disabled_reason}</div>}
      {failing_since && (
        <div>
          {webhooksText.failingSince} <Ago at={failing_since} />
        </div>
      )}
    </>
  );
}

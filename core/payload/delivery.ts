import type { Payload } from "../../contract/payload.ts";
import type { DeliveryRule } from "../../contract/routes/triggers/delivery-rule.ts";
import type { Arguments } from "./arguments.ts";

/** The fields in which known senders identify an event. A repeated delivery has the same value, and its other headers may differ. */
const PRESETS: Readonly<Record<string, string>> = {
  github: "header:x-github-delivery",
  shopify: "header:x-shopify-event-id",
  standard_webhooks: "header:webhook-id",
  stripe: "body:id",
};

/** Returns the value that identifies a delivery, or `undefined` if the request has none in that field. */
export function findDeliveryId(
  { from }: DeliveryRule,
  headers: Payload["headers"],
  { args, wrapped }: Pick<Arguments, "args" | "wrapped">,
): string | undefined {
  const field = PRESETS[from] ?? from;
  const name = field.slice(field.indexOf(":") + 1);
  const value = field.startsWith("header:") ? headers[name.toLowerCase()] : valueAt(wrapped ? args["body"] : args, name.split("."));
  return (typeof value === "string" && value !== "") || typeof value === "number" || typeof value === "bigint" ? String(value) : undefined;
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (found, name) => (typeof found === "object" && found !== null && Object.hasOwn(found, name) ? Reflect.get(found, name) : undefined),
    value,
  );

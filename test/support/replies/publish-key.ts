import { createPublicKey } from "node:crypto";
import { publicKeyObject } from "../../../core/people/signing-key.ts";
import type { Stage } from "./exchange.ts";

/** Publishes the key that verifies the tokens of the world's jobs, as an executor does. */
export async function publishKey({ world: { deps } }: Stage): Promise<void> {
  const { kid, privateKey } = await deps.signingKey();
  const pem = createPublicKey(privateKey).export({ format: "pem", type: "spki" }).toString();
  await deps.objects.put({ ...publicKeyObject.key(kid), value: pem });
}

import * as z from "zod";
import { defineObject } from "../objects/define-object.ts";

/** A public key that verifies job tokens. */
export const publicKeyObject = defineObject({
  name: "public key",
  partition: "KEYS",
  sort: (kid: string) => kid,
  belongsTo: "none",
  schema: z.unknown(),
});

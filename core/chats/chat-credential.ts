import * as z from "zod";
import { toSentence } from "../http-routes/authentication/schema-sentence.ts";
import { optionalField, secretField } from "../secrets/credential-fields.ts";

const address = z
  .url("must be a URL")
  .max(2000)
  .refine(
    (text) => /^https?:$/.test(new URL(text).protocol) && new URL(text).username === "",
    "must be an http or https URL without a user",
  );

/** An id of Microsoft Entra. Only its lower-case form is compared. */
const guid = z.guid("must be a GUID such as 00000000-0000-0000-0000-000000000000").transform((text) => text.toLowerCase());

const schemas = {
  slack: z.object({
    token: secretField,
    signing_secret: secretField,
    api_url: optionalField(address.optional()),
    default_channel: optionalField(z.string().max(200).optional()),
    trust_email: optionalField(z.boolean().optional()),
  }),
  discord: z.object({
    token: secretField,
    application_id: z.string().regex(/^\d{1,20}$/, "must be the digits of the id of the application"),
    public_key: z
      .string()
      .regex(/^[0-9a-f]{64}$/i, "must be the public key of the application, which has 64 hexadecimal digits")
      .toLowerCase(),
    api_url: optionalField(address.optional()),
    default_channel: optionalField(z.string().max(200).optional()),
  }),
  ms_teams_bot: z.object({
    app_id: guid,
    app_password: secretField,
    tenant_id: guid,
    login_url: optionalField(address.optional()),
    default_channel: optionalField(z.string().max(500).optional()),
    trust_email: optionalField(z.boolean().optional()),
  }),
} as const;

/** The type of a resource of a chat application. */
export type ChatType = keyof typeof schemas;
/** The values of a resource with which the service posts messages and checks the calls of the vendor. */
export type ChatCredential = { [T in ChatType]: { type: T } & z.output<(typeof schemas)[T]> }[ChatType];

/** Returns whether a resource of a type belongs to a chat application. */
export const isChatType = (type: string | undefined): type is ChatType => type !== undefined && Object.hasOwn(schemas, type);

/** Returns the credential that a resource's value describes, or a sentence about its fault that contains no value. */
export function parseChatCredential(type: ChatType, value: unknown): ChatCredential | string {
  const parsed = schemas[type].safeParse(value);
  // TypeScript does not connect the schema with the type of the resource.
  return parsed.success ? ({ type, ...parsed.data } as ChatCredential) : toSentence(parsed.error);
}

import * as z from "zod";
import type { ChatInput } from "../../chat-call.ts";
import { componentTypes } from "../discord-message.ts";

const text = (most: number) => z.string().max(most);

/** The content of a submitted modal: https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-modal-submit-data-structure */
export const modalSchema = z.object({
  components: z.array(
    z.object({
      component: z
        .object({
          type: z.int(),
          custom_id: text(100),
          value: z.union([text(10_000), z.boolean()]).nullish(),
          values: z.array(text(100)).nullish(),
        })
        .optional(),
    }),
  ),
  resolved: z
    .object({
      attachments: z
        .record(
          z.string(),
          z.object({ filename: text(1000), content_type: text(200).nullish(), size: z.int().nonnegative(), url: text(3000) }),
        )
        .optional(),
    })
    .optional(),
});

/** A file that a person has uploaded to Discord. */
export interface DiscordFile {
  url: string;
  name: string;
  type: string;
  bytes: number;
}

/** The content of a submitted form, by the ids of its fields. Empty fields are absent. */
export interface DiscordForm {
  inputs: Record<string, ChatInput>;
  files: Record<string, DiscordFile[]>;
}

/** Reads a submitted modal. */
export function toDiscordForm({ components, resolved = {} }: z.infer<typeof modalSchema>): DiscordForm {
  const fields = components.flatMap(({ component }) => (component ? [component] : []));
  const uploads = new Map(Object.entries(resolved.attachments ?? {}));
  return {
    inputs: Object.fromEntries(
      fields.flatMap(({ custom_id: id, type, value, values }) => {
        if (type === componentTypes.file) return [];
        if (value === true) return [[id, { chosen: ["yes"] }]];
        if (typeof value === "string" && value !== "")
          return [[id, type === componentTypes.textInput ? { text: value } : { chosen: [value] }]];
        return values?.length ? [[id, { chosen: values }]] : [];
      }),
    ),
    files: Object.fromEntries(
      fields.flatMap(({ custom_id: id, type, values }) => {
        const ids = type === componentTypes.file ? (values ?? []) : [];
        const files = ids.flatMap((each) => {
          const file = uploads.get(each);
          return file ? [toFile(file)] : [];
        });
        return files.length > 0 ? [[id, files]] : [];
      }),
    ),
  };
}

type Attachment = NonNullable<NonNullable<z.infer<typeof modalSchema>["resolved"]>["attachments"]>[string];

const toFile = ({ filename: name, content_type: type, size: bytes, url }: Attachment): DiscordFile => ({
  url,
  name,
  type: type ?? "application/octet-stream",
  bytes,
});

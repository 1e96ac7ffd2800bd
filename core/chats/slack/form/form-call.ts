import * as z from "zod";
import type { ChatInput } from "../../chat-call.ts";

/** The id of the dialog with a form. */
export const formDialog = "svc_approve_form";

const option = z.object({ value: z.string().max(150) });
const file = z.object({
  name: z.string().max(1000).nullish(),
  mimetype: z.string().max(200).nullish(),
  size: z.number().int().nonnegative(),
  url_private_download: z.string().max(3000).nullish(),
  url_private: z.string().max(3000),
});

/** The state of an element: https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload */
const elementSchema = z.object({
  value: z.string().nullish(),
  selected_date: z.string().nullish(),
  selected_date_time: z.number().int().nullish(),
  selected_option: option.nullish(),
  selected_options: z.array(option).nullish(),
  files: z.array(file).nullish(),
});
/** The elements by the id of their block. Each block of a dialog has one. */
export const stateSchema = z.record(z.string(), z.record(z.string(), elementSchema));

/** A file that a person has uploaded to Slack. */
export interface SlackFile {
  url: string;
  name: string;
  type: string;
  bytes: number;
}

/** The content of a submitted form, by the ids of its fields. Empty fields are absent. */
export interface SlackForm {
  inputs: Record<string, ChatInput>;
  files: Record<string, SlackFile[]>;
}

/** Reads the state of a submitted form. */
export function toSlackForm(state: z.infer<typeof stateSchema>): SlackForm {
  const elements = Object.entries(state).flatMap(([block, actions]) => {
    const [element] = Object.values(actions);
    return element ? [[block, element] as const] : [];
  });
  return {
    inputs: Object.fromEntries(elements.flatMap(([block, element]) => toInput(element).map((input) => [block, input]))),
    files: Object.fromEntries(elements.flatMap(([block, { files }]) => (files?.length ? [[block, files.map(toFile)]] : []))),
  };
}

function toInput(element: z.infer<typeof elementSchema>): ChatInput[] {
  const { value, selected_date: date, selected_date_time: atS, selected_option: one, selected_options: several } = element;
  const text = value ?? date ?? (typeof atS === "number" ? toUtcTime(atS) : undefined);
  if (text !== undefined && text !== "") return [{ text }];
  const chosen = [...(one ? [one] : []), ...(several ?? [])].map(({ value: id }) => id);
  return chosen.length > 0 ? [{ chosen }] : [];
}

/** Formats a time in whole seconds. A time outside of the calendar becomes a text that no schema accepts as one. */
const toUtcTime = (atS: number) =>
  Math.abs(atS) < 8.64e12 ? new Date(atS * 1000).toISOString().replace(".000Z", "Z") : "an impossible time";

const toFile = ({ url_private_download: download, url_private: url, name, mimetype, size }: z.infer<typeof file>): SlackFile => ({
  url: download ?? url,
  name: name ?? "file",
  type: mimetype ?? "application/octet-stream",
  bytes: size,
});

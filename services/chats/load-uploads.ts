import { limits } from "../../contract/limits.ts";
import type { ChatInput } from "../../core/chats/chat-call.ts";
import type { FieldErrors } from "../../core/chats/form/read-values.ts";
import type { VendorAnswer } from "../../ports/chats.ts";

/** A file that a person has uploaded to a chat. */
interface Upload {
  url: string;
  name: string;
  type: string;
  bytes: number;
}

/** Downloads the files of a submitted form, by the ids of its fields. Together they must fit into the payload of an approval. */
export async function loadUploads(
  uploads: Readonly<Record<string, readonly Upload[]>>,
  download: (upload: Upload) => Promise<VendorAnswer<Buffer>>,
): Promise<{ inputs: Record<string, ChatInput> } | { errors: FieldErrors }> {
  const fields = Object.entries(uploads);
  const bytes = fields.flatMap(([, all]) => all).reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > limits.approvalFilesBytes) {
    const sentence = `Together, the files are too large. The maximum is ${limits.approvalFilesBytes / 1024} KB.`;
    return { errors: Object.fromEntries(fields.map(([field]) => [field, sentence])) };
  }
  const loaded = await Promise.all(
    fields.map(async ([field, all]) => {
      const answers = await Promise.all(all.map(download));
      const failed = answers.find((answer) => !answer.ok);
      if (failed && !failed.ok) return { field, error: `The file could not be read, because ${failed.error}.` };
      const contents = answers.flatMap((answer, index) => {
        const file = all[index];
        return answer.ok && file ? [{ name: file.name, type: file.type, base64: answer.value.toString("base64") }] : [];
      });
      return { field, files: contents };
    }),
  );
  const errors = loaded.flatMap(({ field, error }) => (error === undefined ? [] : [[field, error]]));
  if (errors.length > 0) return { errors: Object.fromEntries(errors) };
  return { inputs: Object.fromEntries(loaded.map(({ field, files: contents = [] }) => [field, { files: contents }])) };
}

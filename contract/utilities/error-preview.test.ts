import { expect, it } from "vitest";
import { readErrorPreview } from "./error-preview.ts";

const error = (name: string, message: string) => JSON.stringify({ error: { name, message } });

it.each([
  [error("TypeError", 'no "a"'), { name: "TypeError", message: 'no "a"' }],
  [error("Timeout", "x".repeat(300)).slice(0, 60), { name: "Timeout", message: "x".repeat(22) }],
  ['{"error":{"message":"late","name":"Timeout","stack":"at', { name: "Timeout", message: "late" }],
  ['{"error":{"name":""}}', undefined],
  ['{"message":"no error"}', undefined],
  ["[1,2", undefined],
  [undefined, undefined],
])("the error in the preview %s is read", (preview, expected) => {
  expect(readErrorPreview(preview)).toEqual(expected);
});

import { expect } from "vitest";
import type { Answer } from "./api.ts";

/** Expects that an error is one sentence in plain text with a code. */
export function refused({ status, headers, text }: Answer): { status: number; code: string | null; text: string } {
  expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(text).toMatch(/^[^\n]{10,}$/);
  expect(text).not.toMatch(/^\s*</);
  return { status, code: headers.get("x-svc-error"), text };
}

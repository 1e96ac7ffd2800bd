import type { Reply } from "../recorder.ts";

/** The exchange of one helper with the service, the same in every language. */
export interface Row {
  title: string;
  call: string;
  args: unknown[];
  replies: Reply[];
  /** Method, route and query of each request. */
  requests: string[];
  /** JSON bodies as values, others as content type and text. */
  bodies?: unknown[];
  result?: unknown;
  error?: object;
  prints?: string[];
}

export const notFound: Reply = { status: 404, body: "There is none.", headers: { "x-svc-error": "resource.notFound" } };
export const refused = { name: "ApiError", status: 404, code: "resource.notFound", message: "There is none." };

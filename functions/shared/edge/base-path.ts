import { env } from "../../../contract/env.ts";

/** The path below which the service answers at its origin. It is empty, except at API Gateway's own address, whose path begins with a stage. */
export function basePath(): string {
  const url = process.env[env.baseUrl] ?? "";
  return URL.canParse(url) ? new URL(url).pathname.replace(/\/$/, "") : "";
}

import { isJsonObject } from "../../../../../../contract/json/json-object.ts";

/** The author and the time of a version. The time is absent if the service does not know it. */
export interface LastChange {
  by: string;
  at?: string;
}

/** Reads the author and the time of a newer version from a refusal. Undefined if the service knows no author. */
export function readLastChange(change: string): LastChange | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(change);
  } catch {
    // The refusal names no author, or a proxy has cut the header.
    return undefined;
  }
  if (!isJsonObject(parsed)) return undefined;
  const { by, at } = parsed;
  if (typeof by !== "string") return undefined;
  return typeof at === "string" && !Number.isNaN(Date.parse(at)) ? { by, at } : { by };
}

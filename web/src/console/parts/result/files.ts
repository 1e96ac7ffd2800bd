import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { withoutDirections } from "../../../shared/preview.ts";

/** A file of the workspace's storage, as scripts return it. */
export interface StoredFile {
  s3: string;
  storage: string | undefined;
}

const MOST = 20;

/** Returns the stored files that a result names: the result itself, its fields or its items. */
export function filesIn(result: unknown): StoredFile[] {
  const single = fileOf(result);
  if (single) return [single];
  const parts = Array.isArray(result) ? result : isJsonObject(result) ? Object.values(result) : [];
  return parts.flatMap((part: unknown) => fileOf(part) ?? []).slice(0, MOST);
}

function fileOf(value: unknown): StoredFile | undefined {
  if (!isJsonObject(value) || typeof value["s3"] !== "string" || value["s3"] === "") return undefined;
  return { s3: value["s3"], storage: typeof value["storage"] === "string" ? value["storage"] : undefined };
}

/** The last part of a key, as the name of a download. Marks that reverse the direction of text are left out. */
export const fileName = (key: string): string => withoutDirections(key.split("/").at(-1) || key);

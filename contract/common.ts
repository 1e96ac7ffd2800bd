import * as z from "zod";
import { isJsonObject } from "./json/json-object.ts";

/** The workspace id of data that belongs to the whole instance. No workspace can have this id. */
export const INSTANCE = "-";

/** Shapes that several routes share. */
export const workspaceId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,49}$/, "lower-case letters, digits, '-' and '_', at most 50, starting with a letter or digit");
/** `u/<user>/<name>` or `f/<folder>/<name>`. More parts may follow the name. */
export const runnablePath = z
  .string()
  .max(250)
  .regex(/^(u|f)\/[A-Za-z0-9_-]+(\/[A-Za-z0-9_][A-Za-z0-9_.-]*)+$/, "must look like u/<user>/<name> or f/<folder>/<name>");
/** Returns whether a text is a path at which a script or flow can be saved. */
export const isRunnablePath = (path: string): boolean => runnablePath.safeParse(path).success;
/** A handler: `script/<path>` or `flow/<path>`. A path alone is that of a script. */
export const handlerPath = z
  .string()
  .refine((text) => isRunnablePath(text.replace(/^(script|flow)\//, "")), "must look like script/<path> or flow/<path>");
/** Name of a folder or group. Names are used as keys of JavaScript objects, so `__proto__` and `constructor` are not allowed: one sets the prototype, and the table's client reads the other as a class. */
export const folderName = z
  .string()
  .regex(/^(?!(__proto__|constructor)$)[A-Za-z0-9_-]{1,100}$/, "letters, digits, '-' and '_' only, not '__proto__' or 'constructor'");
/** A page of a list carries this header if more entries may match: send it as `before` to continue. */
export const BEFORE_HEADER = "x-svc-before";
/** Part of the paths `u/<username>/…`. */
export const username = z.string().regex(/^[A-Za-z0-9_-]{1,50}$/, "letters, digits, '-' and '_' only, at most 50");
/** The name of an approver in a link. Mails, records and logs contain it, so it is one line without control characters. */
export const approverName = z
  .string()
  .max(250)
  .refine((name) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name), "must not contain line breaks or other control characters");
export const contentHash = z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in hexadecimal");
export const versionHash = z.string().regex(/^[0-9a-f]{16}$/, "16 hex digits");
/** Lower case: an id with capital letters is the same UUID, and the ids of a flow's steps are derived from the UUID of its job. */
export const jobId = z.uuid().toLowerCase();
/**
 * The id that a caller gives a new job. The jobs of a flow's steps have ids of version 5, derived from their place, so a caller can never choose
 * the id of a step that has not run yet.
 */
export const newJobId = z.union([z.uuidv4().toLowerCase(), z.uuidv7().toLowerCase()], "must be a version 4 or 7 UUID");

export const flag = z.enum(["true", "false", ""]).transform((value) => value !== "false");
/** The digits of the seconds have no other limit. */
export const timestamp = z.iso.datetime({ offset: true }).max(64);
/** A number that every table and every language can hold. */
export const anyNumber = z.number().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER);
export const page = {
  page: z.coerce.number().int().min(0).optional(),
  per_page: z.coerce.number().int().min(1).max(10_000).optional(),
};

export const inWorkspace = z.object({ workspace: workspaceId });
/** The path of a request. It may be longer than any stored path, and is short enough for a key. */
export const anyPath = z.string().min(1).max(400);
export const atPath = z.object({ workspace: workspaceId, path: anyPath });
export const atHash = z.object({ workspace: workspaceId, hash: versionHash });
export const atJob = z.object({ workspace: workspaceId, id: jobId });

/** A JSON value. */
export type JsonValue = z.core.util.JSONType;
/**
 * Any JSON value. `z.json()` refers to itself by a name that differs between documents, and two documents contain the events of streams.
 */
export const anyJson = z
  .custom<JsonValue>((value) => value !== undefined, "is missing")
  .meta({ override: { description: "Any JSON value." } });
export const extraPerms = z.record(z.string(), z.boolean());
/** Preserves the value exactly: `z.record` would drop a key named `__proto__`, which is ordinary data. */
export const jsonObject = z
  .custom<Record<string, unknown>>(isJsonObject, "must be a JSON object")
  .meta({ override: { type: "object", additionalProperties: {} } });

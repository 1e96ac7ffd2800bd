import { isRunnablePath } from "../../contract/common.ts";
import type { ErrorHandler } from "../../contract/routes/workspaces/setting-schemas.ts";
import { type EndState, isSuccess, type Job } from "../jobs/record/job.ts";

/** The e-mail address of jobs that run as the group of handlers. No mail reaches it, and no user can have it. */
export const HANDLER_EMAIL = "error_handler@svc.invalid";

/** The script or flow of a handler. */
export interface HandlerTarget {
  kind: "script" | "flow";
  path: string;
}

/** Parses `script/<path>` or `flow/<path>`; a path without one of these is that of a script. Returns `undefined` for text of another form. */
export function parseHandlerPath(text: string): HandlerTarget | undefined {
  const [, kind = "script", path = ""] = /^(?:(script|flow)\/)?(.*)$/s.exec(text) ?? [];
  return isRunnablePath(path) ? { kind: kind as HandlerTarget["kind"], path } : undefined;
}

/**
 * Returns whether the end of a job may call a handler: a script or flow that no flow and no other job runs, and that is not a handler. Previews
 * call no handler, because their author waits for the result.
 */
export const mayCallHandler = ({ kind, parent, step, isHandler }: Pick<Job, "kind" | "parent" | "step" | "isHandler">): boolean =>
  (kind === "script" || kind === "flow" || kind === "singlestepflow") && parent === undefined && step === undefined && !isHandler;

/** The name of the setting with the workspace's handler for the end of a job. */
export const handlerNameFor = (state: EndState): "error_handler" | "success_handler" =>
  isSuccess({ state }) ? "success_handler" : "error_handler";

/** Returns whether the handler ignores this end by its own settings. A script or flow can be muted too. */
export function isMuted(handler: ErrorHandler, { path = "" }: Pick<Job, "path">, state: EndState): boolean {
  if (handler.muted_on_cancel && state === "canceled") return true;
  return handler.muted_on_user_path === true && path.startsWith("u/");
}

/** After this time, a job may have been created before its workspace had a success handler (ms). */
const CREATED_LONG_AGO_MS = 60_000;

/**
 * Returns whether a success can call a handler. The record of a job contains whether the workspace had one when it was created, so that a short run in a
 * workspace without one needs no read. For a longer run, the settings are read.
 */
export const mayCallSuccessHandler = (
  { successHandled, createdAtMs }: Pick<Job, "successHandled" | "createdAtMs">,
  nowMs: number,
): boolean => successHandled === true || nowMs - createdAtMs > CREATED_LONG_AGO_MS;

/** Returns the `error` of a failed job's result. The result of a failed loop, for example, has none and is the error itself. */
export const extractError = (result: unknown): unknown =>
  typeof result === "object" && result !== null && "error" in result ? result.error : result;

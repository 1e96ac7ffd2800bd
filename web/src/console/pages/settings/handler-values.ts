import type { FailureNoticeRule } from "../../../../../contract/routes/workspaces/failure-notices.ts";
import type { ErrorHandler } from "../../../../../contract/routes/workspaces/setting-schemas.ts";
import { schedulesText } from "../../messages/objects/schedules.ts";
import { workspaceSettingsText } from "../../messages/objects/workspace-settings.ts";
import { type ComparedField, compared } from "../../parts/stored/compared-fields.ts";
import { type ChosenRunnable, formatRunnable, parseRunnable } from "../../parts/stored/runnable-path.ts";

const text = workspaceSettingsText.handler;

/** The fields of the form of a handler. */
export interface HandlerValues {
  runnable: ChosenRunnable | undefined;
  args: unknown;
  ignoresCanceled: boolean;
  ignoresPersonal: boolean;
}

export const toHandlerValues = (stored: ErrorHandler | undefined): HandlerValues => ({
  runnable: parseRunnable(stored?.path),
  args: stored?.extra_args,
  ignoresCanceled: stored?.muted_on_cancel ?? false,
  ignoresPersonal: stored?.muted_on_user_path ?? false,
});

/** Returns the handler that a save sends: an empty one removes it. */
export function toHandler({ runnable, args, ignoresCanceled, ignoresPersonal }: HandlerValues): Partial<ErrorHandler> {
  if (!runnable) return {};
  return {
    path: formatRunnable(runnable),
    ...(args ? { extra_args: args as Record<string, unknown> } : {}),
    muted_on_cancel: ignoresCanceled,
    muted_on_user_path: ignoresPersonal,
  };
}

/** The fields in which two versions are compared. */
export const handlerFields: readonly ComparedField<HandlerValues>[] = [
  compared(schedulesText.runnable, "runnable", (chosen) => (chosen ? `${schedulesText.kindOf[chosen.kind]} ${chosen.path}` : "")),
  compared(text.args, "args"),
  compared(text.ignoreCanceled, "ignoresCanceled"),
  compared(text.ignorePersonal, "ignoresPersonal"),
];

/** Returns the rules that this browser may store: none if a rule has an address, which can contain a secret. */
export const keepableRules = ({ rules }: { rules: readonly FailureNoticeRule[] }): { rules?: readonly FailureNoticeRule[] } =>
  rules.some(({ webhook }) => webhook) ? {} : { rules };

import { BUSY_ERROR, isBusyError } from "../../../contract/errors.ts";
import { countOutcome } from "../../../core/telemetry/telemetry.ts";

/** Lambda reports the name of an error as its type. State machines and other functions recognise a call that they may repeat by this name. */
class ServiceBusy extends Error {
  override readonly name = BUSY_ERROR;
}

/** Returns the error with which a function fails: one with its own name if the same call may succeed a moment later. */
export function toFunctionError(error: unknown): unknown {
  if (!isBusyError(error)) return error;
  countOutcome("Postponements");
  return new ServiceBusy((error as Error).message, { cause: error });
}

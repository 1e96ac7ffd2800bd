/** The outcome of an attempt. `final`: another attempt would end in the same way. `status`: that of an HTTP response. */
export type Attempt =
  | { ok: true; status?: number }
  | {
      ok: false;
      error: string;
      final: boolean;
      status?: number;
      /** The receiver requests a pause of at least this length. */
      retryAfterMs?: number;
      /** The receiver ends the subscription. */
      gone?: boolean;
    };

export const sentAttempt: Attempt = { ok: true };
/** Returns the outcome of an attempt that would fail in the same way if it were repeated. */
export const refusedAttempt = (error: string): Attempt => ({ ok: false, error, final: true });
/** Returns the outcome of an attempt that may succeed later. */
export const failedAttempt = (error: string): Attempt => ({ ok: false, error, final: false });

import type { OwnFailureNotice } from "../../contract/routes/workspaces/failure-notices.ts";

/** Returns the confirmation of a rule for one script or flow. */
export const describeFailureNotice = (path: string, { email }: OwnFailureNotice): string =>
  email?.length ? `Failures of ${path} are now reported to ${email.join(", ")}.` : `No separate rule reports failures of ${path}.`;

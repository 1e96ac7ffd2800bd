import { childRef } from "../../core/jobs/lists/child-items.ts";
import { type DataOwner, objectPrefix } from "../../core/jobs/record/retention.ts";

/**
 * The S3 key of the bundle that a preview runs. It is removed with the job. The hash prevents a call that names an existing job from replacing
 * its bundle.
 */
export const previewBundleKey = (job: DataOwner, sha256: string): string => `${objectPrefix(job)}${childRef("code", sha256)}`;

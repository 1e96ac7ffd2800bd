import * as z from "zod";
import { limits } from "./limits.ts";

const DAY_MS = 24 * 3600 * 1000;

/**
 * The way in which the data of a job is removed. A `short` job ends within a day of its creation: the table's expiry and the bucket's lifecycle rule remove
 * its data, both by the time of the job's creation, for free. A `long` job may live for months, or another one may use its results. Its record
 * expires after its end, and the removal of the record removes the rest (services/jobs/erasure/remove-expired-job.ts). Records of earlier releases
 * are `short`.
 */
export const retentionSchema = z.enum(["short", "long"]).default("short");
export type Retention = z.infer<typeof retentionSchema>;

/** The longest time from the creation of a `short` job to its end. */
export const SHORT_LIFE_MS = DAY_MS;
/** A `long` job may wait for its start, and then run, for as long as a flow may last. */
export const LONG_LIFE_MS = 2 * limits.flowTimeoutS * 1000;

/** The lifecycle of objects under `jobs/`, in days after the creation of an object, which is not before that of its job. */
export const SHORT_OBJECT_DAYS = (SHORT_LIFE_MS + limits.jobRetentionMs) / DAY_MS;
/** The same for `long-lived/`, which is only for objects whose job was never recorded, because the process that stored them died. */
export const LONG_OBJECT_DAYS = (limits.maxDelayS * 1000 + LONG_LIFE_MS + limits.jobRetentionMs) / DAY_MS + 1;

/** The folder of the bucket for the objects of a job. */
export const objectFolders = { short: "jobs", long: "long-lived" } as const satisfies Record<Retention, string>;

/** The folders of the bucket in which each workspace has a folder that remains until the workspace is deleted. `deployments`: what CDK apps have deployed. */
export const workspaceFolders = ["artefacts", "scripts", "flows", "apps", "files", "deployments"] as const;

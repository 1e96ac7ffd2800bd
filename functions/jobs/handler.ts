import { domainApi } from "../shared/domain-api.ts";
import { jobs } from "./jobs.ts";
import { seenByLink } from "./link-holder.ts";

/** Jobs: lists, reads, cancellation and progress. Other functions start them. */
export const handler = domainApi(jobs, seenByLink);

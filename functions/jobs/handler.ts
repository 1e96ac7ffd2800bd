import { domainApi } from "../shared/edge/domain-api.ts";
import { findJobByLink } from "./find-job-by-link.ts";
import { jobRoutes } from "./jobs.ts";

/** Jobs: lists, reads, cancellation and progress. Other functions start them. */
export const handler = domainApi(jobRoutes, findJobByLink);

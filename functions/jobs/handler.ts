import { domainApi } from "../shared/edge/domain-api.ts";
import { findJobByLink } from "./find-job-by-link.ts";
import { inputs } from "./inputs.ts";
import { jobRoutes } from "./jobs.ts";

/** Jobs: lists, reads, cancellation, progress and saved inputs. Other functions start them. */
export const handler = domainApi([...jobRoutes, ...inputs], findJobByLink);

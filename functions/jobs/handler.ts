import { domainApi } from "../shared/edge/domain-api.ts";
import { bulk } from "./bulk.ts";
import { findJobByLink } from "./find-job-by-link.ts";
import { inputs } from "./inputs.ts";
import { jobRoutes } from "./jobs.ts";
import { shares } from "./shares.ts";

/** Jobs: lists, reads, cancellation, progress, saved inputs, links and actions on many jobs. Other functions start them. */
export const handler = domainApi([...jobRoutes, ...inputs, ...shares, ...bulk], findJobByLink);

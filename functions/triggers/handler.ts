import { domainApi } from "../shared/edge/domain-api.ts";
import { schedules } from "./schedules.ts";
import { triggers } from "./triggers.ts";

/** Schedules, and triggers of every kind. */
export const handler = domainApi([...schedules, ...triggers]);

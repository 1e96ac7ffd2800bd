import { containsFiles } from "../jobs/cache.ts";
import { hasReferences } from "./references.ts";

/** Returns whether arguments have references or files: their content is known only when the job runs, and only to a worker. */
export const hasLateContent = (args: unknown): boolean => hasReferences(args) || containsFiles(args);

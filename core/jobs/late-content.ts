import { hasReferences } from "../resources/references.ts";
import { containsFiles } from "./cache.ts";

/** Returns whether arguments have references or files: their content is known only when the job runs, and only to a worker. */
export const hasLateContent = (args: unknown): boolean => hasReferences(args) || containsFiles(args);

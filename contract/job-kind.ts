import * as z from "zod";

const jobKinds = [
  "script",
  "preview",
  "dependencies",
  "flowdependencies",
  "appdependencies",
  "flow",
  "flowpreview",
  "script_hub",
  "identity",
  "deploymentcallback",
  "singlestepflow",
  "flowscript",
  "flownode",
  "appscript",
] as const;
export const jobKindSchema = z.enum(jobKinds);
export type JobKind = z.infer<typeof jobKindSchema>;

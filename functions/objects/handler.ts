import { domainApi } from "../shared/domain-api.ts";
import { apps } from "./apps.ts";
import { encryptionKey } from "./encryption-key.ts";
import { files } from "./files.ts";
import { flows } from "./flows.ts";
import { resources } from "./resources.ts";
import { schedules } from "./schedules.ts";
import { scripts } from "./scripts.ts";
import { triggers } from "./triggers.ts";
import { variables } from "./variables.ts";

/** Stored objects: scripts, flows, variables, resources with their types, schedules, triggers, apps, files, and the key of their secrets. */
export const handler = domainApi([
  ...files,
  ...scripts,
  ...flows,
  ...variables,
  ...resources,
  ...schedules,
  ...apps,
  ...encryptionKey,
  ...triggers,
]);

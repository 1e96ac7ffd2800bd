import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { cancellation } from "../shared/cancellation.ts";
import { jobData } from "../shared/job-data.ts";

export const collaborators = { ...cancellation, jobData, objects: objectTable, baseUrl: requireEnv(env.baseUrl) };

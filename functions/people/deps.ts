import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { env, requireEnv } from "../../contract/env.ts";

export const deps = { objects: objectTable, baseUrl: requireEnv(env.baseUrl), nowMs: Date.now };

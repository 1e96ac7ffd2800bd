import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { slack } from "../../aws/http/slack.ts";
import { chatKeys } from "../../aws/kms/data-keys.ts";
import { functions } from "../../aws/lambda/functions.ts";
import { env, requireEnv } from "../../contract/env.ts";

/** The ports of the function `chat`. */
export const deps = { objects: objectTable, chatKeys, slack, functions, baseUrl: requireEnv(env.baseUrl), nowMs: Date.now };

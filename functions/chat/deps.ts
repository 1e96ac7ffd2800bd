import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { chats } from "../../aws/http/chats/chats.ts";
import { chatKeys } from "../../aws/kms/data-keys.ts";
import { functions } from "../../aws/lambda/functions.ts";
import { env, requireEnv } from "../../contract/env.ts";

/** The ports of the function `chat`. */
export const deps = { objects: objectTable, chatKeys, chats, functions, baseUrl: requireEnv(env.baseUrl), nowMs: Date.now };

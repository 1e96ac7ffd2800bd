import { objectTable } from "../../aws/dynamodb/object-table.ts";

export const deps = { objects: objectTable, nowMs: Date.now };

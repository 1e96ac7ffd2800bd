import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { storage } from "../../aws/s3/storage.ts";

export const deps = { objects: objectTable, storage, nowMs: Date.now };

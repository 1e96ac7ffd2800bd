import * as z from "zod";
import type { ParamTypes } from "../../runners/protocol.ts";

/** The stored types of parameters that the wrapper of TypeScript converts. */
export const paramTypesSchema: z.ZodType<ParamTypes> = z.record(z.string(), z.enum(["date", "bytes", "buffer", "arrayBuffer", "blob"]));

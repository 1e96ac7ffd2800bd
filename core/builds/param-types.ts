import * as z from "zod";
import type { ParamType, ParamTypes } from "../../runners/protocol.ts";

const paramTypeSchema: z.ZodType<ParamType> = z.lazy(() =>
  z.union([
    z.enum(["date", "bytes", "buffer", "arrayBuffer", "blob"]),
    z.object({ items: paramTypeSchema }),
    z.object({ values: paramTypeSchema }),
    z.object({ fields: paramTypesSchema }),
  ]),
);

/** The stored types of parameters that the wrapper of TypeScript converts. */
export const paramTypesSchema: z.ZodType<ParamTypes> = z.record(z.string(), paramTypeSchema);

import * as z from "zod";

/** A secret of a resource that the service uses itself. */
export const secretField = z.string().min(1, "must not be empty").max(10_000);

/** A field that may be absent. Forms send an empty text for an omitted field. */
export const optionalField = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (value === "" || value === null ? undefined : value), schema);

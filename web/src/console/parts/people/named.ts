import { peopleText as text } from "../../messages/objects/people.ts";
import { type ComparedField, compared } from "../stored/compared-fields.ts";

/** The fields of the form of a folder or a group. */
export interface NamedValues {
  name: string;
  summary: string;
}

export const unnamed: NamedValues = { name: "", summary: "" };

/** The fields in which two versions are compared. */
export const namedFields: readonly ComparedField<NamedValues>[] = [compared(text.summary, "summary")];

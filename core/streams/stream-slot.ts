import { defineObject, sortableNumber, withoutValue } from "../objects/define-object.ts";

/** One of the streams that a reader may have open, by the hash of the reader. */
export const openStreamObject = defineObject({
  name: "open stream",
  partition: "STREAMS",
  within: (reader: string) => reader,
  sort: (slot: number) => sortableNumber(slot, 2),
  belongsTo: "none",
  ...withoutValue,
});

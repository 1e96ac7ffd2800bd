import * as z from "zod";
import { progressSchema } from "../deliveries/claim.ts";
import { defineObject, inWorkspace, withoutValue } from "../objects/define-object.ts";
import { mailNoticeSchema } from "./mail-notice.ts";
import { gateNoticeSchema } from "./notice.ts";
import { runNoticeSchema } from "./run-notice.ts";

/** A notice of a gate, of a run, or by mail. */
export const noticeObject = defineObject({
  name: "notice",
  partition: "NOTICE",
  ...inWorkspace,
  sort: (id: string) => id,
  schema: z.discriminatedUnion("kind", [mailNoticeSchema, runNoticeSchema, gateNoticeSchema]),
});

/** A recent reminder of a gate, which prevents another one until it expires. */
export const noticeAgainObject = defineObject({
  name: "recent reminder",
  partition: "AGAIN",
  ...inWorkspace,
  sort: (gate: string) => gate,
  ...withoutValue,
});

/** The delivery of a notice to one recipient. `to`: the address of a mail. */
export const noticeDeliveryObject = defineObject({
  name: "delivery of a notice",
  partition: "MAILED",
  ...inWorkspace,
  sort: (notice: string, nth: string) => `${notice}#${nth}`,
  schema: z.object({ ...progressSchema.shape, to: z.string().optional(), atMs: z.number(), error: z.string().optional() }),
});

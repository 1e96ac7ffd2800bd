import * as z from "zod";
import { awsSourceSchema } from "./sources.ts";

/** A source that a trigger wants to use, before it is saved. */
const sourceCheckSchema = z.discriminatedUnion("type", [
  /** A queue of the deployment's account. */
  z.object({ type: z.literal("queue"), url: z.string() }),
  /** A queue that is read with the keys of a resource. */
  z.object({ type: z.literal("remoteQueue"), url: z.string() }),
  z.object({ type: z.literal("rule"), id: z.string(), bus: z.string(), pattern: z.string() }),
]);

const connectionSchema = z.object({ workspace: z.string(), source: awsSourceSchema });
/** Sources of workspaces whose state in AWS may differ from the needs of their triggers. */
export const connectSourcesSchema = z.object({ connections: z.array(connectionSchema).max(100) });
export type ConnectSources = z.infer<typeof connectSourcesSchema>;
export const checkSourceSchema = z.object({ workspace: z.string(), check: sourceCheckSchema });
export type CheckSource = z.infer<typeof checkSourceSchema>;
/** The event of function `connect`. */
export const connectCallSchema = z.union([checkSourceSchema, connectSourcesSchema]);

/** The event with which housekeeping passes queues to function `receive`. */
export const pollCallSchema = z.object({ poll: z.array(z.object({ workspace: z.string(), path: z.string(), id: z.string() })).max(100) });
export type PollCall = z.infer<typeof pollCallSchema>;

/** The tag of a queue whose messages a workspace may read. */
export const WORKSPACE_TAG = "svc:workspace";

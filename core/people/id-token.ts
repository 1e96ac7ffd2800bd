import * as z from "zod";
import { idTokenJwkSchema } from "../../contract/routes/people/id-tokens.ts";
import { getFlowRootId, type Job } from "../jobs/record/job.ts";
import { defineObject } from "../objects/define-object.ts";
import { type Actor, nameInAuditLog } from "./actor.ts";

/** The claims of an ID token in addition to those of every JWT. They are texts, because policies of cloud providers compare texts. */
export interface IdTokenClaims {
  sub: string;
  /** The id of the job for which the token was created, or empty. */
  job_id: string;
  /** The path of the saved script or flow that the job runs, or empty. */
  path: string;
  /** The path of the saved flow whose step the job is, or empty. */
  flow_path: string;
  groups: string[];
  username: string;
  email: string;
  workspace: string;
}

/** A caller's job, with the job of the outermost flow that runs it as a step. */
export interface IdTokenJob {
  job: Job;
  flow?: Job | undefined;
}

/** Returns the id of the flow's job that `IdTokenJob` needs, or `undefined` for a job that is not a step. */
export const findFlowOfIdToken = (job: Job): string | undefined => (job.step ? getFlowRootId(job) : undefined);

/** A preview and an inline script have a path that their author chose, so it identifies no saved code. */
const savedPath = (job: Job | undefined, kinds: readonly Job["kind"][]): string =>
  job && kinds.includes(job.kind) ? (job.path ?? "") : "";

/** The parts of the subject are divided by two colons, so none may contain one. */
const escapePart = (part: string) => part.replaceAll("%", "%25").replaceAll(":", "%3A");

/**
 * Returns the claims about a caller in a workspace. The service determines all of them: a caller cannot choose any. `of` is the caller's own job.
 */
export function buildIdTokenClaims(actor: Actor, workspace: string, of: IdTokenJob | undefined): IdTokenClaims {
  const path = savedPath(of?.job, ["script", "flow"]);
  const flowPath = savedPath(of?.flow, ["flow"]);
  return {
    sub: [actor.email, path, flowPath, workspace].map(escapePart).join("::"),
    job_id: of?.job.id ?? "",
    path,
    flow_path: flowPath,
    groups: [...(actor.rights?.groups ?? [])].sort(),
    username: nameInAuditLog(actor),
    email: actor.email,
    workspace,
  };
}

/** The key that signs ID tokens: the sealed private key and the public key. */
export const idTokenKeyObject = defineObject({
  name: "key of ID tokens",
  partition: "IDTOKENKEY",
  sort: () => "key",
  belongsTo: "none",
  schema: z.object({ wrapped: z.string(), privateKey: z.string(), jwk: idTokenJwkSchema }),
});

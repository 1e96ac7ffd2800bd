import { SvcError } from "../../contract/errors.ts";
import type { Payload } from "../../contract/payload.ts";
import { nameList } from "../../contract/routes/jobs/runs.ts";
import type { Authentication } from "../../core/http-routes/authentication/outcome.ts";
import { type HttpRequestLine, selectPathArguments, toHttpEvent } from "../../core/http-routes/http-event.ts";
import type { FoundHttpRoute } from "../../core/http-routes/http-route.ts";
import { digestRequest, isUnidentified } from "../../core/http-routes/unidentified-request.ts";
import { parseArguments } from "../../core/payload/arguments.ts";
import { findDeliveryId } from "../../core/payload/delivery.ts";
import type { Actor } from "../../core/people/actor.ts";
import { escapeReferences } from "../../core/resources/references.ts";
import { ENTRYPOINT_ARGUMENT } from "../execution/invoke-runner.ts";
import type { RunAndWaitDeps } from "../execution/requests/run-and-wait.ts";
import { runAndWait } from "../execution/requests/run-and-wait.ts";
import { createCheckedJob, type RunTarget, requestVersion, type VersionRunCall } from "../execution/requests/run-request.ts";
import type { SyncResult } from "../execution/requests/run-sync.ts";
import { findPreviousRunOf, startRun } from "../execution/requests/start-run.ts";
import { findStreamedRun, type StreamedRun, startStreamedRun } from "../execution/requests/start-streamed-run.ts";
import type { IdempotencyKey } from "../jobs/queue/create-job-record.ts";
import { digestArguments, findIdempotencyKey, type KeyRules, type SentArguments, signatureKeyFrom } from "../jobs/queue/idempotency-key.ts";
import { recordFault } from "../triggers/faults.ts";
import { holdJob } from "../triggers/hold-job.ts";
import { adaptJob, describeStartFault, findTriggerTarget } from "../triggers/triggered-run.ts";

/** A request that was authenticated. */
type Admission = Extract<Authentication, { outcome: "admitted" }>;

/** The outcome of a request. `held`: the job waits until the route is enabled. `streamed`: the stream of the job begins at `from`. */
export type HttpRouteRun =
  | { outcome: "started" | "held"; id: string; replayed: boolean }
  | { outcome: "ended"; result: SyncResult; replayed: boolean }
  | ({ outcome: "streamed" } & StreamedRun);

export interface HttpRouteRequest extends HttpRequestLine {
  payload: Payload;
  /** Headers that every run receives as arguments, in lower case. */
  includedHeaders: readonly string[];
}

/**
 * Starts the job of a route's request, with the rights of the route's user, and waits for its result if the route is synchronous. A request with
 * a known idempotency key or signature starts nothing and returns the reply of the first one. Throws `httpRoute.notRunnable` if the script, the
 * flow or its user is gone, `httpRoute.refused` if the preprocessor of a route with the method `custom_script` failed, `payload.*`, `body.*`,
 * `run.arguments`, `idempotency.*`, `stream.runUnknown`, `file.storageOff`, `job.syncTimeout`, `job.erased`, and `TriggerChanged` if the route
 * was changed at the same time.
 */
export async function runHttpRoute(
  deps: RunAndWaitDeps,
  found: FoundHttpRoute,
  admission: Admission,
  routeRequest: HttpRouteRequest,
): Promise<HttpRouteRun> {
  const request = await buildRouteRequest(deps, found, admission, routeRequest);
  try {
    return await startRouteRun(deps, found, request, routeRequest);
  } catch (error) {
    await recordStartFault(deps, found, error);
    throw error;
  }
}

async function startRouteRun(
  deps: RunAndWaitDeps,
  found: FoundHttpRoute,
  request: VersionRunCall,
  routeRequest: HttpRouteRequest,
): Promise<HttpRouteRun> {
  const { trigger, fields } = found;
  const lastEventId = routeRequest.payload.headers["last-event-id"];
  // A stream that has begun continues, even if new requests are now held or answered differently.
  const streamed = await findStreamedRun(deps, request, lastEventId);
  if (streamed) return { outcome: "streamed", ...streamed };
  if (trigger.mode === "suspended") {
    const previous = await findPreviousRunOf(deps, request);
    if (previous) return { outcome: "held", id: previous.id, replayed: true };
    const job = await createCheckedJob(deps, request);
    const { id } = await holdJob(deps, found, job);
    return { outcome: "held", id, replayed: false };
  }
  switch (fields.request_type) {
    case "async":
      return { outcome: "started", ...(await startRun(deps, request)) };
    case "sync_sse":
      return { outcome: "streamed", ...(await startStreamedRun(deps, request, { lastEventId })) };
    case "sync": {
      const { replayed, ...result } = await runAndWait(deps, request);
      if (fields.authentication_method === "custom_script" && result.isPreprocessorFailure) throw new SvcError("httpRoute.refused", {});
      return { outcome: "ended", result, replayed };
    }
  }
}

/**
 * Strangers write the request, and the job has the rights of another user. The request therefore cannot contain references, which would be
 * replaced by that user's secrets, and cannot call another function of the script, which would bypass its preprocessor.
 */
async function buildRouteRequest(
  deps: RunAndWaitDeps,
  found: FoundHttpRoute,
  admission: Admission,
  routeRequest: HttpRouteRequest,
): Promise<VersionRunCall> {
  const { workspace, trigger, fields, params } = found;
  const { target, actor } = await requireTarget(deps, found);
  const payload = withoutCredentials(routeRequest.payload, found, admission);
  const chosen = chooseIncluded(payload, found);
  const { event, ...parsed } = await parseArguments(payload, {
    wrapBody: fields.wrap_body,
    raw: fields.raw_string || fields.authentication_method === "custom_script",
    headers: [...routeRequest.includedHeaders, ...chosen.headers],
    query: chosen.query,
    event: target.version.preprocessor !== undefined,
  });
  const { [ENTRYPOINT_ARGUMENT]: _, ...sentArgs } = parsed.args;
  const pathArgs = selectPathArguments(params, target.kind === "script" ? target.version.params : null);
  const args = { ...sentArgs, ...pathArgs };
  // A file is added to an argument of the same name.
  const isFixed = (name: string) => [pathArgs, admission.args ?? {}].some((fixed) => Object.hasOwn(fixed, name));
  const files = parsed.files.filter(({ argument }) => parsed.wrapped || (argument !== ENTRYPOINT_ARGUMENT && !isFixed(argument)));
  // The claims of a token differ between requests, so equal requests are compared without them, but always with the path.
  const repeated = { args: { args, params }, files };
  const { idempotency } = found.fields;
  const delivery = idempotency ? { id: findDeliveryId(idempotency, payload.headers, parsed), ttlS: idempotency.ttl } : undefined;
  const request = requestVersion(
    {
      target,
      arguments: {
        ...parsed,
        files,
        // Those of the authentication are added last, so that no part of the request replaces them.
        args: escapeReferences({ ...args, ...admission.args }) as Record<string, unknown>,
        ...(event ? { event: toHttpEvent(found, routeRequest, event) } : {}),
      },
    },
    { actor, workspace, idempotencyKey: chooseKey(found, admission, payload, { target, repeated, delivery }) },
  );
  return { ...request, adapt: (job) => adaptJob(target, job, trigger) };
}

/** A caller learns only that nothing can run here. The route shows the reason to its owners. */
async function requireTarget(deps: RunAndWaitDeps, found: FoundHttpRoute): Promise<{ target: RunTarget; actor: Actor }> {
  const { workspace, trigger, actor, head } = found;
  try {
    if (!actor || actor.workspaceState) throw new SvcError("trigger.notPermittedAs", { permissionedAs: trigger.permissionedAs });
    return { target: findTriggerTarget(actor, workspace, trigger, head), actor };
  } catch (error) {
    if (!(await recordStartFault(deps, found, error))) throw error;
    throw new SvcError("httpRoute.notRunnable", {}, { cause: error });
  }
}

/** Records an error that is a fault of the route. Returns whether it is one. */
async function recordStartFault(deps: RunAndWaitDeps, { workspace, trigger }: FoundHttpRoute, error: unknown): Promise<boolean> {
  const fault = describeStartFault(trigger, error, "A request");
  if (fault !== undefined) await recordFault(deps, workspace, trigger.id, fault);
  return fault !== undefined;
}

/**
 * Returns the request without the headers that contain its credential. A signature covers only the body, so a signed request has no arguments in
 * its query.
 */
function withoutCredentials(payload: Payload, { fields }: FoundHttpRoute, { secretHeaders = [] }: Admission): Payload {
  const headers = Object.fromEntries(Object.entries(payload.headers).filter(([name]) => !secretHeaders.includes(name)));
  if (fields.authentication_method !== "signature") return { ...payload, headers };
  const query = Object.fromEntries(Object.entries(payload.query).filter(([name]) => name !== "payload"));
  return { ...payload, headers, query };
}

/**
 * The headers and query parameters that the request names as arguments (spec §4.2). A signature covers only the body, not the query that names
 * them.
 */
function chooseIncluded({ query }: Payload, { fields }: FoundHttpRoute): Record<"headers" | "query", readonly string[]> {
  if (fields.authentication_method === "signature") return { headers: [], query: [] };
  const listNames = (parameter: string) => nameList.safeParse(query[parameter]?.join(",") ?? "").data ?? [];
  return { headers: listNames("include_header"), query: listNames("include_query") };
}

function chooseKey(
  { workspace, trigger, fields }: FoundHttpRoute,
  { actor, args, replay }: Admission,
  payload: Payload,
  { target, repeated, delivery }: { target: RunTarget; repeated: SentArguments; delivery: KeyRules["delivery"] },
): IdempotencyKey | undefined {
  const scope = [workspace, "route", trigger.id];
  const onceByWebhookId = target.kind === "script" && target.version.onceByWebhookId === true;
  const isPreprocessed = target.version.preprocessor !== undefined;
  // Two callers may choose the same key. Callers whom the route does not identify share it only for equal requests.
  const caller = isUnidentified(fields.authentication_method)
    ? [digestArguments(repeated), ...(isPreprocessed ? [digestRequest(payload)] : [])]
    : [actor?.email ?? subjectOf(args)];
  const callKey = findIdempotencyKey(payload.headers, [...scope, ...caller], repeated, { onceByWebhookId, delivery });
  if (!replay) return callKey;
  const signature = signatureKeyFrom(scope, replay.id, replay.forS * 1000);
  return callKey ? { ...signature, also: callKey } : signature;
}

/** Returns the issuer and the subject of a JSON Web Token's claims. */
function subjectOf(args: Admission["args"]): string {
  const claims = args?.["jwt"] as { iss?: unknown; sub?: unknown } | undefined;
  return claims ? JSON.stringify([claims.iss, claims.sub]) : "";
}

import type { z } from "zod";
import type { findPublicKey } from "../../../aws/kms/signing-keys.ts";
import { defined } from "../../../contract/defined.ts";
import { env } from "../../../contract/env.ts";
import { SvcError } from "../../../contract/errors.ts";
import type { Route, TokenRoute } from "../../../contract/route.ts";
import type { byVersion } from "../../../contract/routes/flows/flow-runs.ts";
import type { byHash, byPath, PayloadQuery } from "../../../contract/routes/jobs/runs.ts";
import { flowHeadObject, flowVersionObject } from "../../../core/flows/version.ts";
import type { ObjectKey, StoredObject } from "../../../core/objects/write.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { scriptHeadObject, scriptVersionObject } from "../../../core/scripts/version.ts";
import { workspaceObject } from "../../../core/workspaces/workspace.ts";
import type { VersionRunCall } from "../../../services/execution/requests/run-request.ts";
import { buildVersionRequest } from "../../../services/execution/requests/version-request.ts";
import { findRunTarget, type RunAddress } from "../../../services/flows/definitions/find-run-target.ts";
import { authenticate } from "../../../services/identity/authenticate.ts";
import type { Uses } from "../../../services/uses.ts";
import type { Reply } from "../reply/reply.ts";
import { type Authenticate, type Call, on, type RouteHandler } from "./edge.ts";
import { checkAccess } from "./guard.ts";

/**
 * The caller of a run, with the head of the script or flow, which was read together with the token, so that a run needs no further read.
 */
export interface RunAuth {
  actor: Actor;
  head: StoredObject | undefined;
}

type Authenticator = Uses<"jobs" | "objects" | "publicKey" | "nowMs"> & { publicKey: typeof findPublicKey };

/** Authenticates routes that run something. A stored script proves that its workspace exists; a preview needs the workspace's own record. */
export function authenticateRun(authenticator: Authenticator): Authenticate<RunAuth> {
  return async (token, route, params) => {
    const { workspace = "" } = params;
    const headKey = getHeadKey(parseRunAddress(route, params));
    const { actor, read } = await authenticate(authenticator, token, { workspace, alsoRead: [headKey ?? workspaceObject.key(workspace)] });
    // The path of a version is part of its head; an absent version has none.
    const path = headKey && (params["path"] ?? (read[0]?.value as { path?: string } | undefined)?.path);
    checkAccess(actor, route, params, { workspace, ...defined({ path }) });
    if (!headKey && !read[0]) throw new SvcError("workspace.notFound", { workspace });
    return { actor, head: read[0] };
  };
}

type AddressParts = { readonly [Part in "workspace" | "path" | "hash" | "version"]?: unknown };

/** The address names a version, and the access of the route declares whether it is one of a script or of a flow. */
function parseRunAddress({ access }: Route, { workspace = "", path, hash, version }: AddressParts): RunAddress {
  return {
    kind: typeof access === "object" && access.runs === "flows" ? "flow" : "script",
    workspace: String(workspace),
    path: path === undefined ? undefined : String(path),
    hash: hash === undefined ? undefined : String(hash),
    version: version === undefined ? undefined : Number(version),
  };
}

function getHeadKey({ kind, workspace, path, hash, version }: RunAddress): ObjectKey | undefined {
  if (path !== undefined) return kind === "flow" ? flowHeadObject.key(workspace, path) : scriptHeadObject.key(workspace, path);
  if (version !== undefined) return flowVersionObject.key(workspace, version);
  return hash === undefined ? undefined : scriptVersionObject.key(workspace, hash);
}

interface VersionQuery extends PayloadQuery {
  queue_limit?: number | undefined;
  poll_delay_ms?: number | undefined;
}

/** A run route of a stored script or flow: its parameters name the version, and its body the arguments. */
export type VersionRoute = TokenRoute & {
  access: { runs: "scripts" | "flows" };
  params: typeof byPath | typeof byHash | typeof byVersion;
  query: z.ZodType<VersionQuery>;
  payload: true;
};

/**
 * Makes the handlers of all routes that run a stored script or flow: each call is read into a request and answered by `run`.
 * Throws `payload.*`, `body.*`, `idempotency.key`, and `script.*` and `flow.*` for what does not exist.
 */
export function versionRoutes<Auth extends RunAuth>(
  routes: readonly VersionRoute[],
  deps: Uses<"jobs" | "objects">,
  run: (request: VersionRunCall, call: Call<VersionRoute, Auth>) => Promise<Reply>,
): RouteHandler<Auth>[] {
  return routes.map((route) =>
    on(route, async (call: Call<VersionRoute, Auth>) => {
      const { auth, params, query, readPayload } = call;
      const target = await findRunTarget(deps, auth, parseRunAddress(route, params));
      const version = { actor: auth.actor, query, payload: await readPayload() };
      return run(await buildVersionRequest(deps, target, version, { includedHeaders }), call);
    }),
  );
}

/** Headers that every run receives as arguments. */
const includedHeaders = (process.env[env.includeHeaders] ?? "").split(",").flatMap((name) => name.trim() || []);

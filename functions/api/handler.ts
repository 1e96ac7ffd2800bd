import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { publicKey } from "../../aws/kms/signing-keys.ts";
import { maySee } from "../../core/permissions/may.ts";
import { authenticate } from "../../services/identity/authenticate.ts";
import { apiHandler, type Handled } from "../shared/edge.ts";
import { guard, toTarget } from "../shared/guard.ts";
import { json } from "../shared/reply.ts";
import { access } from "./access.ts";
import { audit, withAudit } from "./audit.ts";
import type { Auth } from "./collaborators.ts";
import { files } from "./files.ts";
import { flows } from "./flows.ts";
import { instance } from "./instance.ts";
import { jobs } from "./jobs.ts";
import { seenByLink } from "./link-holder.ts";
import { members } from "./members.ts";
import { oauth } from "./oauth.ts";
import { instancePeople } from "./people.ts";
import { reference } from "./reference.ts";
import { resources } from "./resources.ts";
import { scripts } from "./scripts.ts";
import { settings } from "./settings.ts";
import { signInHandlers } from "./sign-in.ts";
import { tokens } from "./tokens.ts";
import { variables } from "./variables.ts";
import { workspaces } from "./workspaces.ts";

const authenticator = { objects: objectTable, jobs: jobTable, publicKey, nowMs: Date.now };

/** What the caller may not see is not there for them. */
function existing({ route, handle }: Handled<Auth>): Handled<Auth> {
  if (route.auth !== "token" || route.access.hiddenAs !== false) return { route, handle };
  const { access } = route;
  return {
    route,
    handle: async (call) => {
      const target = toTarget(route, (call.params ?? {}) as Record<string, string>);
      return maySee(call.auth.actor, access, target) ? handle(call) : json(200, false);
    },
  };
}

const all = [
  ...jobs,
  ...files,
  ...scripts,
  ...flows,
  ...variables,
  ...resources,
  ...workspaces,
  ...settings,
  ...members,
  ...access,
  ...instancePeople,
  ...tokens,
  ...signInHandlers,
  ...oauth,
  ...audit,
  ...instance,
  ...reference,
];
const handled = all.map(existing).map(withAudit);

export const handler = apiHandler<Auth>(handled, async (token, route, params, query = {}) => {
  // Nothing behind an open route looks at who calls.
  if (route.auth === "none") return { sentToken: token } as Auth;
  const linked = token === undefined ? await seenByLink(route, params, query) : undefined;
  if (linked) return { linked } as Auth;
  const { actor } = await authenticate(authenticator, token, { workspace: params["workspace"] });
  guard(actor, route, params);
  return { actor, sentToken: token };
});

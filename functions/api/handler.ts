import { jobTable } from "../../aws/job-table.ts";
import { publicKey } from "../../aws/keys.ts";
import { objectTable } from "../../aws/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import { may } from "../../core/permissions/may.ts";
import { authenticate } from "../../services/identity/authenticate.ts";
import { apiHandler } from "../shared/edge.ts";
import type { Auth } from "./collaborators.ts";
import { files } from "./files.ts";
import { instance } from "./instance.ts";
import { jobs } from "./jobs.ts";
import { resources } from "./resources.ts";
import { scripts } from "./scripts.ts";
import { people, workspaces } from "./stored.ts";
import { variables } from "./variables.ts";

const authenticator = { objects: objectTable, jobs: jobTable, publicKey, nowMs: Date.now };

export const handler = apiHandler<Auth>(
  [...jobs, ...files, ...scripts, ...variables, ...resources, ...workspaces, ...people, ...instance],
  async (token, route, params) => {
    // Nothing behind an open route looks at who calls.
    if (route.auth === "none") return {} as Auth;
    const { actor } = await authenticate(authenticator, token);
    const { workspace, path } = params;
    const target = { ...(workspace === undefined ? {} : { workspace }), ...(path === undefined ? {} : { path }) };
    if (!may(actor, route.name, target)) throw new SvcError("auth.forbidden", { action: route.name });
    return { actor, token: token ?? "" };
  },
);

import type { Answers, NoDetails } from "./answer.ts";

/** Errors of triggers. */
export interface TriggerErrors {
  "trigger.notFound": { path: string };
  "trigger.exists": { path: string };
  "trigger.changedMeanwhile": { path: string };
  "trigger.source": { field: string; reason: string };
  "trigger.sourceTaken": NoDetails;
  "trigger.notPermittedAs": { permissionedAs: string };
  "trigger.needsAdmin": NoDetails;
  "trigger.needsSuperadmin": { isForbidden: boolean };
  "trigger.routeTaken": { method: string; address: string; path?: string | undefined };
  "trigger.tooManyRoutes": { prefix: string };
  "openapi.tooLarge": NoDetails;
}

export const triggerAnswers: Answers<TriggerErrors> = {
  "trigger.notFound": { status: 404, describe: ({ path }) => `There is no such trigger at ${path}.` },
  "trigger.exists": { status: 409, describe: ({ path }) => `There is already a trigger of this kind at ${path}.` },
  "trigger.changedMeanwhile": {
    status: 409,
    describe: ({ path }) => `The trigger ${path} was changed by other requests at the same time. Try again.`,
  },
  "trigger.source": { status: 422, describe: ({ field, reason }) => `${field}: ${reason}` },
  "trigger.sourceTaken": {
    status: 409,
    describe: () => "Another trigger already reads this queue, or already has this address. Choose another one, or delete that trigger.",
  },
  "trigger.needsAdmin": {
    status: 403,
    describe: () => "Only an administrator of the workspace can choose the path, the method and the workspace prefix of a route.",
  },
  "trigger.needsSuperadmin": {
    status: 403,
    describe: ({ isForbidden }) =>
      isForbidden
        ? "This instance allows only routes whose address begins with the workspace. Set workspaced_route."
        : "Only a superadmin can give a route an address without the workspace. Set workspaced_route.",
  },
  "trigger.routeTaken": {
    status: 409,
    describe: ({ method, address, path }) =>
      `${method} /api/r/${address} would be answered by two routes. ${path === undefined ? "The other one belongs to another workspace." : `The other one is ${path}.`}`,
  },
  "trigger.tooManyRoutes": {
    status: 422,
    describe: ({ prefix }) => `Too many routes begin with /api/r/${prefix} and continue with a parameter. Choose a text for the next part.`,
  },
  "openapi.tooLarge": {
    status: 422,
    describe: () => "The document would be too large. Select fewer routes and webhooks by filters.",
  },
  "trigger.notPermittedAs": {
    status: 403,
    describe: ({ permissionedAs }) => `Only an administrator of the workspace can save a trigger whose jobs run as ${permissionedAs}.`,
  },
};

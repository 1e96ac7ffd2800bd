import type { Answers, NoDetails } from "./answer.ts";

/** Errors of triggers. */
export interface TriggerErrors {
  "trigger.notFound": { path: string };
  "trigger.exists": { path: string };
  "trigger.changedMeanwhile": { path: string };
  "trigger.source": { field: string; reason: string };
  "trigger.sourceTaken": NoDetails;
  "trigger.notPermittedAs": { permissionedAs: string };
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
  "trigger.notPermittedAs": {
    status: 403,
    describe: ({ permissionedAs }) => `Only an administrator of the workspace can save a trigger whose jobs run as ${permissionedAs}.`,
  },
};

import type { Answers, NoDetails } from "./answer.ts";

/** Errors of what users store for their work in the console. */
export interface ConsoleErrors {
  "favorite.tooMany": { limit: number };
  "favorite.changedMeanwhile": NoDetails;
  "view.notFound": { id: string };
  "view.tooMany": { limit: number; shared: boolean };
  "view.changedMeanwhile": { id: string };
  "preferences.changedMeanwhile": NoDetails;
}

export const consoleAnswers: Answers<ConsoleErrors> = {
  "favorite.tooMany": {
    status: 422,
    describe: ({ limit }) => `You have starred ${limit} objects already. Remove the star from one of them first.`,
  },
  "favorite.changedMeanwhile": { status: 409, describe: () => "Your stars were changed at the same time. Try again." },
  "view.notFound": { status: 404, describe: ({ id }) => `There is no view ${id} that you may change.` },
  "view.tooMany": {
    status: 422,
    describe: ({ limit, shared }) => `${shared ? "The workspace has" : "You have"} ${limit} views already. Delete one of them first.`,
  },
  "view.changedMeanwhile": { status: 409, describe: ({ id }) => `The view ${id} was changed at the same time. Try again.` },
  "preferences.changedMeanwhile": { status: 409, describe: () => "Your preferences were changed at the same time. Try again." },
};

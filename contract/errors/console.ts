import type { Answers, NoDetails } from "./answer.ts";

/** Errors of what users store for their work in the console. */
export interface ConsoleErrors {
  "favorite.tooMany": { limit: number };
  "favorite.changedMeanwhile": NoDetails;
}

export const consoleAnswers: Answers<ConsoleErrors> = {
  "favorite.tooMany": {
    status: 422,
    describe: ({ limit }) => `You have starred ${limit} objects already. Remove the star from one of them first.`,
  },
  "favorite.changedMeanwhile": { status: 409, describe: () => "Your stars were changed at the same time. Try again." },
};

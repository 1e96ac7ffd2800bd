import { type Answers, formatMegabytes } from "./answer.ts";

/** Errors of saved scripts and flows. */
export interface ScriptAndFlowErrors {
  "script.notFound": { path: string };
  "script.versionNotFound": { hash: string };
  "script.pathTaken": { path: string };
  "script.parentUnknown": { parentHash: string };
  "script.parentHasChild": { parentHash: string };
  "script.changedMeanwhile": { path: string };
  "script.tooLarge": { limitBytes: number };
  "bundle.language": { language: string };
  "bundle.invalid": { reason: string };
  "script.notOnBehalf": { email: string };
  "flow.notFound": { path: string };
  "flow.versionNotFound": { version: string };
  "flow.pathTaken": { path: string };
  "flow.changedMeanwhile": { path: string };
  "flow.tooLarge": { limitBytes: number };
  "flow.notRestarted": { id: string; reason: string };
  "flow.noMachine": { path: string; reason: string };
}

export const scriptAndFlowAnswers: Answers<ScriptAndFlowErrors> = {
  "script.notFound": { status: 404, describe: ({ path }) => `There is no script at ${path}.` },
  "script.versionNotFound": { status: 404, describe: ({ hash }) => `There is no script version ${hash}.` },
  "script.pathTaken": {
    status: 400,
    describe: ({ path }) =>
      `There is already a script at ${path}. To save a new version, send its hash as parent_hash, or auto_parent: true.`,
  },
  "script.parentUnknown": {
    status: 400,
    describe: ({ parentHash }) => `The parent_hash ${parentHash} is not a version of any script in this workspace.`,
  },
  "script.parentHasChild": {
    status: 400,
    describe: ({ parentHash }) =>
      `The parent_hash ${parentHash} is no longer the newest version: another version was saved after it. Load the script again.`,
  },
  "script.changedMeanwhile": { status: 409, describe: ({ path }) => `Another request saved ${path} at the same time. Load it again.` },
  "script.tooLarge": {
    status: 413,
    describe: ({ limitBytes }) => `The source of a script may be at most ${formatMegabytes(limitBytes)}.`,
  },
  "bundle.language": {
    status: 400,
    describe: ({ language }) => `A bundle can only run as bun or nodejs, not as ${language}. Send the source instead.`,
  },
  "bundle.invalid": { status: 400, describe: ({ reason }) => `The archive of the bundle cannot be used: ${reason}.` },
  "script.notOnBehalf": { status: 403, describe: ({ email }) => `Only an administrator can let a script run on behalf of ${email}.` },
  "flow.notFound": { status: 404, describe: ({ path }) => `There is no flow at ${path}.` },
  "flow.versionNotFound": { status: 404, describe: ({ version }) => `There is no flow version ${version}.` },
  "flow.pathTaken": {
    status: 400,
    describe: ({ path }) => `There is already a flow at ${path}. To save a new version, use POST flows/update/${path}.`,
  },
  "flow.changedMeanwhile": { status: 409, describe: ({ path }) => `Another request saved ${path} at the same time. Load it again.` },
  "flow.tooLarge": {
    status: 413,
    describe: ({ limitBytes }) => `A flow, including its inline scripts, may be at most ${formatMegabytes(limitBytes)}.`,
  },
  "flow.noMachine": { status: 404, describe: ({ path, reason }) => `The flow ${path} has no state machine: ${reason}` },
  "flow.notRestarted": { status: 400, describe: ({ id, reason }) => `The job ${id} cannot be restarted: ${reason}.` },
};

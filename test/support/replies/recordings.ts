import type { Steps } from "./exchange.ts";
import { approvals } from "./requests/approvals.ts";
import { consoleRequests } from "./requests/console.ts";
import { files } from "./requests/files.ts";
import { flows } from "./requests/flows.ts";
import { instance } from "./requests/instance.ts";
import { jobs } from "./requests/jobs.ts";
import { people } from "./requests/people.ts";
import { runs } from "./requests/runs.ts";
import { schedules } from "./requests/schedules.ts";
import { scripts } from "./requests/scripts.ts";
import { signIn } from "./requests/sign-in.ts";
import { stored } from "./requests/stored.ts";
import { streams } from "./requests/streams.ts";
import { triggers } from "./requests/triggers.ts";
import { values } from "./requests/values.ts";
import { webhooks } from "./requests/webhooks.ts";
import { workspaces } from "./requests/workspaces.ts";

/** The requests of all recordings, by the name of the recording. */
export const recordings: Readonly<Record<string, Steps>> = {
  approvals,
  console: consoleRequests,
  files,
  flows,
  instance,
  jobs,
  people,
  runs,
  schedules,
  scripts,
  "sign-in": signIn,
  stored,
  streams,
  triggers,
  values,
  webhooks,
  workspaces,
};

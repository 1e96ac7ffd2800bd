import { defineObject, inWorkspace, withoutValue } from "../objects/define-object.ts";

/** The push of a deployment by an app, until it ends: only one at a time changes a workspace. */
export const deploymentPushObject = defineObject({
  name: "push of a deployment",
  partition: "DEPLOY",
  ...inWorkspace,
  sort: () => "push",
  ...withoutValue,
});

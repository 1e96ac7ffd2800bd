import { expect, it } from "vitest";
import { jobId, newJobId } from "../../../contract/common.ts";
import { computeStepJobId } from "./step-job-id.ts";

it("each spelling of a UUID is the same job id, because the ids of a flow's steps are derived from the UUID", () => {
  const ids = ["018f3b5c-9d1e-7abc-8def-0123456789ab", "3b241101-e2bb-4255-8caf-4136c566a962"];
  for (const id of ids) {
    for (const spelled of [id, id.toUpperCase()]) {
      expect([jobId.parse(spelled), newJobId.parse(spelled)]).toEqual([id, id]);
      expect(computeStepJobId(newJobId.parse(spelled), "a", "", "", 0)).toBe(computeStepJobId(id, "a", "", "", 0));
    }
  }
});

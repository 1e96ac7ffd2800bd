import { expect, it } from "vitest";
import { instanceEventTypes, TEST_EVENT, workspaceEventTypes } from "../../../../../contract/events.ts";
import { instanceTypes, workspaceTypes } from "./event-types.ts";

it("the pages offer every type of event", () => {
  expect([...workspaceTypes].sort()).toEqual([...workspaceEventTypes, TEST_EVENT].sort());
  expect([...instanceTypes].sort()).toEqual([...instanceEventTypes, TEST_EVENT].sort());
});

import { describe, expect, it } from "vitest";
import { variableRoutes } from "../../contract/routes/stored/variables.ts";
import { listSavedKinds } from "./saved-kinds.ts";

describe("the kinds that a function may write", () => {
  it("do not include variables if a route of the function changes one, because rights to their items are listed by hand", () => {
    const routes = Object.values(variableRoutes).map((route) => ({ ...route, fn: "triggers" as const }));
    expect(listSavedKinds("triggers", routes)).toEqual([]);
  });
});

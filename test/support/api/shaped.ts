import { expect } from "vitest";
import type { Route } from "../../../contract/route.ts";
import type { Answer } from "./api.ts";
import { expectStatus } from "./workspace.ts";

/** Expects exactly the fields of the contract, and returns the reply. */
export function shaped(route: Route, answer: Answer): unknown {
  if (!("json" in route.reply)) throw new Error(`${route.name} answers text`);
  expectStatus(answer, route.status);
  expect([route.name, route.reply.json.safeParse(answer.json).data]).toEqual([route.name, answer.json]);
  return answer.json;
}

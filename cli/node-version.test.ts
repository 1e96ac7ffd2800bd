import { expect, it } from "vitest";
import { describeOldNode } from "./node-version.ts";

it.each([
  ["18.19.0", false],
  ["20.11.1", false],
  ["22.13.9", false],
  ["22.14.0", true],
  ["24.1.0", true],
  ["100.0.0", true],
])("the program starts only on releases of Node.js that it supports: %s", (version, isAccepted) => {
  const problem = describeOldNode(version);
  expect(problem === undefined).toBe(isAccepted);
  if (problem)
    expect(problem).toBe(`svc needs Node.js 22.14 or later, and this is ${version}. Install a later release from https://nodejs.org.`);
});

import { describe, expect, it } from "vitest";
import { aFlow, identity } from "../../test/builders/flows.ts";
import { indexFlow, isContainer, isLoop, isParallel, isPlain, listNestedModules, runsAlone, waitsForTaskToken } from "./scopes.ts";

const iterator = { type: "static", value: [] };
const flow = aFlow({
  modules: [
    identity("plain"),
    identity("retried", { retry: { constant: { attempts: 1, seconds: 1 } } }),
    identity("suspended", { suspend: { required_events: 1 } }),
    { id: "flow", value: { type: "flow", path: "f/t/inner", input_transforms: {} } },
    {
      id: "loop",
      value: {
        type: "forloopflow",
        iterator,
        modules: [identity("in_loop"), { id: "while", value: { type: "whileloopflow", modules: [identity("in_while")] } }],
      },
    },
    { id: "wide", value: { type: "forloopflow", iterator, parallel: true, modules: [identity("in_wide")] } },
    {
      id: "one",
      value: { type: "branchone", branches: [{ expr: "true", modules: [identity("in_one")] }], default: [identity("in_default")] },
    },
    {
      id: "all",
      value: {
        type: "branchall",
        parallel: true,
        branches: [{ modules: [{ id: "narrow", value: { type: "forloopflow", iterator, modules: [identity("in_narrow")] } }] }],
      },
    },
  ],
  failure_module: { id: "failure", value: { type: "script", path: "f/t/any", input_transforms: {} } },
});
const { modules, scopes } = indexFlow(flow);
const find = (id: string) => modules.get(id) ?? expect.fail(id);

describe("the position of a module", () => {
  it.each<[id: string, scope: string, index: number, loops: string[], inside: string[], alone: boolean]>([
    ["plain", "", 0, [], [], true],
    ["loop", "", 4, [], [], true],
    ["in_loop", "loop.body", 0, ["loop"], ["loop"], true],
    ["while", "loop.body", 1, ["loop"], ["loop"], true],
    ["in_while", "while.body", 0, ["loop", "while"], ["loop", "while"], true],
    ["in_wide", "wide.body", 0, ["wide"], ["wide"], false],
    ["in_one", "one.0", 0, [], ["one"], true],
    ["in_default", "one.default", 0, [], ["one"], true],
    ["narrow", "all.0", 0, [], ["all"], false],
    ["in_narrow", "narrow.body", 0, ["narrow"], ["all", "narrow"], false],
    ["failure", "", -1, [], [], true],
  ])("%s is in the list %j at %i, in the loops %j and the modules %j, and runs alone: %s", (id, name, index, loops, inside, alone) => {
    const { scope, ...position } = find(id);
    expect({ name: scope.name, index: position.index, loops: scope.loops, inside: scope.inside, alone: runsAlone(scope) }).toEqual({
      name,
      index,
      loops,
      inside,
      alone,
    });
  });

  it("is known for each module and each list of the flow", () => {
    expect([...scopes.keys()]).toEqual(["", "loop.body", "while.body", "wide.body", "one.0", "one.default", "all.0", "narrow.body"]);
    expect([...modules.keys()]).toEqual([...listNestedModules(flow.modules).map(({ id }) => id), "failure"]);
  });
});

describe("the kind of a module", () => {
  const kinds = { plain: isPlain, waits: waitsForTaskToken, container: isContainer, loop: isLoop, parallel: isParallel };
  it.each<[id: string, ...kinds: (keyof typeof kinds)[]]>([
    ["plain", "plain"],
    ["retried"],
    ["suspended", "waits"],
    ["flow", "waits"],
    ["loop", "container", "loop"],
    ["while", "container", "loop"],
    ["wide", "container", "loop", "parallel"],
    ["one", "container"],
    ["all", "container", "parallel"],
  ])("%s is %s %s %s", (id, ...expected) => {
    const { module } = find(id);
    expect(Object.entries(kinds).flatMap(([kind, is]) => (is(module) ? [kind] : []))).toEqual(expected);
  });
});

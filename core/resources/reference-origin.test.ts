import { describe, expect, it } from "vitest";
import type { InputTransform } from "../../contract/flows/flow-value.ts";
import { escapeByOrigin } from "./reference-origin.ts";

const MARK = "$res:f/ops/db";
const TEXT = `\\${MARK}`;
const js = (expr: string): InputTransform => ({ type: "javascript", expr });

describe("a text that looks like a reference", () => {
  it.each([
    "flow_input",
    "flow_input.db",
    " flow_input.list[0].key ",
    "flow_input?.db",
    'flow_input["the db"]',
    "flow_input['a']?.b",
    "flow_input.iter.value",
    "flow_input.iter_parent.value",
    "params.db",
  ])("is a reference at the end of the path %s", (path) => {
    expect(escapeByOrigin(js(path), { list: [MARK] })).toEqual({ list: [MARK] });
  });

  it.each([
    "results.a",
    "results['a'].b",
    "previous_result",
    "previous_result.db",
    "error.message",
    "resume.comment",
    "resumes[0]",
    "approvers[0]",
    "flow_env.DB",
    "result",
    "flow_input.text.trim()",
    "(flow_input.db)",
    "flow_input.a ?? flow_input.b",
    "flow_input.list[index]",
    "flow_input.db // comment",
    "flow_input.db;",
    "return flow_input.db",
    "String(flow_input.db)",
    "({ ...flow_input })",
    "'$res:f/ops/' + flow_input.name",
    "globalThis.flow_input",
    "flow_input\n.db()",
  ])("is a text as the value of %s", (expression) => {
    expect(escapeByOrigin(js(expression), { list: [MARK], [MARK]: "x" })).toEqual({ list: [TEXT], [MARK]: "x" });
  });

  it("is a reference in the static value of an author", () => {
    expect(escapeByOrigin({ type: "static", value: [MARK] }, [MARK])).toEqual([MARK]);
  });

  it("is a text in the static value of a caller who may not refer to it", () => {
    const mayRefer = ({ path }: { path: string }) => path === "f/ops/other";
    expect(escapeByOrigin({ type: "static", value: MARK }, [MARK, "$var:f/ops/other"], { mayRefer })).toEqual([TEXT, "$var:f/ops/other"]);
  });
});

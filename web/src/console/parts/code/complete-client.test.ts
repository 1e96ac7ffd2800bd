import { CompletionContext } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { expect, it } from "vitest";
import { createClientSource } from "./complete-client.ts";

it("the functions of our client follow its name", () => {
  const source = createClientSource([{ name: "get_state", signature: "get_state() -> Any", text: "Returns the state." }]);
  const at = (doc: string) => source(new CompletionContext(EditorState.create({ doc }), doc.length, false));
  expect(at("x = svc.ge")).toMatchObject({
    from: 8,
    options: [{ label: "get_state", detail: "() -> Any", info: "Returns the state." }],
  });
  expect([at("x = other.ge"), at("x = mysvc.")]).toEqual([null, null]);
});

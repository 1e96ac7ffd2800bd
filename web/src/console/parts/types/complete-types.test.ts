import { CompletionContext } from "@codemirror/autocomplete";
import { javascript } from "@codemirror/lang-javascript";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { createTypesSource } from "./complete-types.ts";
import type { TypeClient } from "./type-client.ts";

/** Completes at the end of a text, with a worker that answers nothing by default. */
function completeAt(text: string, client: Partial<Pick<TypeClient, "isReady" | "ask">>) {
  const state = EditorState.create({ doc: text, extensions: javascript({ typescript: true }) });
  // A busy machine parses a part of the text only.
  ensureSyntaxTree(state, text.length, 60_000);
  const answering = Object.assign(client, { ask: client.ask ?? (async () => undefined) }) as TypeClient;
  return createTypesSource(answering, ({ doc }) => ({ language: "bun", text: doc.toString() }))(
    new CompletionContext(state, text.length, false),
  );
}
const found = { from: 4, options: [{ label: "getVariable", type: "function", boost: 0 }], isComplete: true };

describe("the completions of a script", () => {
  it("are those of the worker once it is ready", async () => {
    const asked: unknown[] = [];
    const ask = (async (question: unknown) => {
      asked.push(question);
      return found;
    }) as unknown as TypeClient["ask"];
    expect(await completeAt("svc.getVar", { isReady: true, ask })).toMatchObject({ from: 4, options: [{ label: "getVariable" }] });
    expect(asked).toEqual([{ kind: "complete", source: { language: "bun", text: "svc.getVar" }, at: 10 }]);
    expect(await completeAt("svc.getVar ", { isReady: true, ask })).toBeNull();
  });

  it("are the names of the script before, and the next letter asks the worker when it has become ready", async () => {
    const client = { isReady: false };
    const local = await completeAt("const total = 1;\ntot", client);
    expect(local).toMatchObject({ from: 17, options: [{ label: "total" }] });
    const isValid = local?.validFor as (text: string) => boolean;
    expect(isValid("tota")).toBe(true);
    client.isReady = true;
    expect(isValid("tota")).toBe(false);
  });

  it("name the module of a name that is not imported, and begin again without a letter", async () => {
    const options = [{ label: "readFile", type: "function", boost: -1, module: "node:fs" }];
    const completed = await completeAt("x = read", {
      isReady: true,
      ask: (async () => ({ from: 4, options, isComplete: true })) as unknown as TypeClient["ask"],
    });
    expect(completed?.options).toEqual([expect.objectContaining({ label: "readFile", detail: "node:fs", apply: expect.any(Function) })]);
    const isValid = completed?.validFor as (text: string) => boolean;
    expect(["readF", "read", "rea", ""].map(isValid)).toEqual([true, true, false, false]);
    const empty = await completeAt("x.", {
      isReady: true,
      ask: (async () => ({ from: 2, options: [], isComplete: false })) as unknown as TypeClient["ask"],
    });
    const isStillEmpty = empty?.validFor as (text: string) => boolean;
    expect(isStillEmpty("a")).toBe(false);
  });

  it("are none if the worker ends during the question", async () => {
    expect(await completeAt("svc.getVar", { isReady: true })).toBeNull();
  });
});

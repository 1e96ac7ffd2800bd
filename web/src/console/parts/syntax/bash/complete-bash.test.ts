import { CompletionContext } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { expect, it } from "vitest";
import { completeBash } from "./complete-bash.ts";

const script =
  'name="$1"\nexport TARGET=a b=c\nsend_mail() {\n  local to=$1\n}\nfunction clean-up {\n  :\n}\nfor each in a b; do read -r line; done\n';
const complete = (typed: string, isExplicit = false) => {
  const doc = script + typed;
  return completeBash(new CompletionContext(EditorState.create({ doc }), doc.length, isExplicit));
};
const labelsOf = (typed: string) => complete(typed)?.options.map(({ label }) => label);

it.each(["echo $", "echo ${", 'echo "$na', "echo ${#na"])("variables of the script and of the run follow %j", (typed) => {
  expect(labelsOf(typed)).toEqual(expect.arrayContaining(["name", "TARGET", "b", "to", "each", "line", "OV_TOKEN", "BASE_INTERNAL_URL"]));
});

it("functions of the script follow letters, and nothing follows a space", () => {
  expect(complete("se")).toMatchObject({ from: script.length, options: [{ label: "send_mail" }, { label: "clean-up" }] });
  expect([complete("echo "), complete("echo ", true)?.options.length]).toEqual([null, 2]);
});

import "./code.css";
import { MergeView } from "@codemirror/merge";
import { EditorView } from "@codemirror/view";
import { Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";
import { mergeText as text } from "../../messages/editor/code.ts";
import { changeTo, editable } from "./edit-extensions.ts";
import { loadGrammar } from "./languages.ts";
import { decideFirst, listConflicts, mergeTexts, type Versions } from "./merge-texts.ts";
import { Shadow } from "./shadow.tsx";
import { readOnly } from "./view-extensions.ts";

interface MergeEditorProps {
  versions: Versions;
  /** The merged text: begin with `mergeTexts`, and save it only when `listConflicts` is empty. */
  value: string;
  onChange: (value: string) => void;
  language: string;
}

const versionNames = ["theirs", "mine", "base"] as const;
const sides = ["mine", "theirs", "both"] as const;

/** Shows the merged text of two people beside the text of each. The merged text can be edited. Load it by `lazy`. */
export default function MergeEditor({ versions, value, onChange, language }: MergeEditorProps) {
  const [compared, setCompared] = useState<(typeof versionNames)[number]>("theirs");
  const view = useRef<MergeView>(undefined);
  const current = useRef({ value, onChange });
  current.current.onChange = onChange;
  const left = versions[compared] ?? "";
  const grammar = useQuery({
    queryKey: ["grammar", language],
    queryFn: () => loadGrammar(language),
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
  const fill = useCallback(
    (root: ShadowRoot, parent: HTMLElement) => {
      const report = EditorView.updateListener.of(({ docChanged, state }) => {
        if (!docChanged) return;
        current.current.value = state.doc.toString();
        current.current.onChange(current.current.value);
      });
      view.current = new MergeView({
        a: { doc: left, extensions: readOnly(text.versions[compared], grammar ?? []) },
        b: {
          doc: current.current.value,
          extensions: [
            editable,
            EditorView.lineWrapping,
            EditorView.contentAttributes.of({ "aria-label": text.merged, tabindex: "0" }),
            grammar ?? [],
            report,
          ],
        },
        root,
        parent,
        collapseUnchanged: {},
        gutter: true,
      });
      return () => view.current?.destroy();
    },
    [left, compared, grammar],
  );
  const replace = (next: string) => view.current?.b.dispatch(changeTo(view.current.b.state.doc.toString(), next));
  const open = listConflicts(value).length;
  return (
    <Stack gap="sm">
      <Text size="sm">{text.why}</Text>
      <Text size="sm" role="status">
        {open === 0 ? text.clean : text.left(open)}
      </Text>
      <Group gap="xs" align="end">
        <NativeSelect
          label={text.compareWith}
          value={compared}
          data={versionNames.filter((name) => versions[name] !== undefined).map((name) => ({ value: name, label: text.versions[name] }))}
          onChange={({ target }) => setCompared(versionNames.find((name) => name === target.value) ?? "theirs")}
        />
        {open > 0 &&
          sides.map((side) => (
            <Button key={side} size="xs" variant="default" onClick={() => replace(decideFirst(value, side))}>
              {text.here[side]}
            </Button>
          ))}
        <Button size="xs" variant="default" onClick={() => replace(versions.mine)}>
          {text.all.mine}
        </Button>
        <Button size="xs" variant="default" onClick={() => replace(versions.theirs)}>
          {text.all.theirs}
        </Button>
        <Button size="xs" variant="default" onClick={() => replace(mergeTexts(versions))}>
          {text.all.merged}
        </Button>
      </Group>
      <Shadow className="code-editor merge-editor" fill={fill} />
    </Stack>
  );
}

import { EditorView } from "@codemirror/view";
import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { loadGrammar } from "./languages.ts";
import { Shadow } from "./shadow.tsx";
import { readOnly } from "./view-extensions.ts";

interface CodeViewProps {
  label: string;
  code: string;
  language: string;
}

/** Shows a source with its colours. The grammar of its language is loaded for it. */
export default function CodeView({ label, code, language }: CodeViewProps) {
  const grammar = useQuery({
    queryKey: ["grammar", language],
    queryFn: () => loadGrammar(language),
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
  const fill = useCallback(
    (root: ShadowRoot, parent: HTMLElement) => {
      const view = new EditorView({ doc: code, extensions: readOnly(label, grammar ?? []), root, parent });
      return () => view.destroy();
    },
    [label, code, grammar],
  );
  return <Shadow className="code-view" fill={fill} />;
}

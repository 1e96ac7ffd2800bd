import { MergeView } from "@codemirror/merge";
import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { loadGrammar } from "./languages.ts";
import { Shadow } from "./shadow.tsx";
import { readOnly } from "./view-extensions.ts";

interface DiffViewProps {
  before: { label: string; text: string };
  after: { label: string; text: string };
  language: string;
}

/** Shows two texts side by side with their differences. Long parts without a difference are folded. */
export default function DiffView({ before, after, language }: DiffViewProps) {
  const grammar = useQuery({
    queryKey: ["grammar", language],
    queryFn: () => loadGrammar(language),
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
  const fill = useCallback(
    (root: ShadowRoot, parent: HTMLElement) => {
      const sideOf = ({ label, text }: { label: string; text: string }) => ({ doc: text, extensions: readOnly(label, grammar ?? []) });
      const view = new MergeView({ a: sideOf(before), b: sideOf(after), root, parent, collapseUnchanged: {}, gutter: true });
      return () => view.destroy();
    },
    [before, after, grammar],
  );
  return <Shadow className="code-view" fill={fill} />;
}

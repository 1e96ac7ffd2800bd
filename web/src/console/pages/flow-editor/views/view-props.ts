import type { Position } from "../document/lists.ts";
import type { ChooseIteration } from "../test/iteration-choice.tsx";
import type { TestedSteps } from "../test/tested-steps.ts";
import type { FlowEditor } from "../use-flow-editor.ts";

/** The properties of the graph and of the list: two views with the same actions. */
export interface ViewProps {
  editor: FlowEditor;
  readOnly: boolean;
  folded: ReadonlySet<string>;
  /** The steps of the last tests. */
  tested: TestedSteps;
  /** Chooses the iteration of a loop whose steps show their states. */
  onChooseIteration: ChooseIteration;
  onFold: (id: string, isFolded: boolean) => void;
  onAdd: (position: Position) => void;
  onRename: (id: string) => void;
}

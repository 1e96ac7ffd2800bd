import type { Step } from "../../run/steps/outline.ts";
import type { Position } from "../document/lists.ts";
import type { FlowEditor } from "../use-flow-editor.ts";

/** The properties of the graph and of the list: two views with the same actions. */
export interface ViewProps {
  editor: FlowEditor;
  readOnly: boolean;
  folded: ReadonlySet<string>;
  /** The steps of the last test, by their paths in the flow. */
  tested: ReadonlyMap<string, Step>;
  onFold: (id: string, isFolded: boolean) => void;
  onAdd: (position: Position) => void;
  onRename: (id: string) => void;
}

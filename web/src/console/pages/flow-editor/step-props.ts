import type { FlowDocument, FlowValue, Module } from "./document/flow-document.ts";
import type { StartedTest } from "./test/follow-test.tsx";
import type { TestedStep } from "./test/tested-steps.ts";

/** The properties of the panel of a selected step: `step/step-panel.tsx` exports it as default. */
export interface StepPanelProps {
  workspace: string;
  /** The path of the flow. Empty: a new flow whose path is not chosen. */
  path: string;
  /** Identifies the flow while the page is open. */
  flowKey: string;
  /** The whole value of the flow. */
  flow: FlowValue;
  /** The inputs of the flow. */
  schema: FlowDocument["schema"];
  module: Module;
  /** The ids of the steps whose results this step can read, in the order of the flow. */
  before: readonly string[];
  /** Changes the step and those inside it. The id stays: `onRename` changes it with all references. */
  onChange: (module: Module) => void;
  onRename: (id: string) => void;
  readOnly: boolean;
  /** The run of the last test of the flow. */
  lastJob?: string | undefined;
  /** The step in the last test. */
  tested: TestedStep | undefined;
  /** The iterations, from 0, whose steps are shown, by the ids of their loops. */
  iterations: ReadonlyMap<string, number>;
  /** A test of this step, or of the steps up to it, was started. */
  onTest: (test: StartedTest) => void;
}

/** The properties of the panel "Flow settings": `step/flow-settings.tsx` exports it as default. */
export interface FlowSettingsProps {
  workspace: string;
  path: string;
  flowKey: string;
  /** Summary, description, inputs (`schema`), and the settings in `value`: same_worker, early_return, concurrency, skip_expr and so on. */
  document: FlowDocument;
  onChange: (document: FlowDocument) => void;
  readOnly: boolean;
}

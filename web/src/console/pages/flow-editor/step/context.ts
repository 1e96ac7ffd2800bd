import { createContext, use } from "react";

/** The values that all fields of a step need. */
export interface StepContext {
  workspace: string;
  /** Identifies the flow and the step while the page is open. */
  key: string;
  /** The id of the step. Empty for the settings of the flow. */
  id: string;
  /** The steps whose results the step can read. */
  before: readonly string[];
  /** The number of loops around the step. */
  loops: number;
  afterApproval: boolean;
  /** The names of the flow's inputs. */
  inputNames: readonly string[];
  /** The environment of the flow. */
  environment: unknown;
  /** The path of the flow, whose runs fill the picker. Empty: a new flow. */
  path: string;
  /** The last test of the flow on this page. */
  lastJob: string | undefined;
  /** Returns the step of the flow's own list that contains a step, or is it. */
  topOf: (id: string) => string;
}

const Context = createContext<StepContext | undefined>(undefined);
export const StepContextProvider = Context.Provider;

/** Returns the values that all fields of a step need. */
export function useStepContext(): StepContext {
  const context = use(Context);
  if (!context) throw new Error("The field of a step is outside the panel of a step.");
  return context;
}

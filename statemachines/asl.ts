/** The subset of Amazon States Language to which flows are compiled. AWS and the local engine support it. */
interface Described {
  Comment?: string;
}
interface Catcher {
  ErrorEquals: ["States.ALL"];
  /** The journal contains the failure. The state remains unchanged. */
  ResultPath: null;
  Next: string;
}
type Transition = { Next: string } | { End: true };

interface Retrier {
  ErrorEquals: string[];
  IntervalSeconds: number;
  MaxAttempts: number;
  BackoffRate: number;
  MaxDelaySeconds?: number;
  JitterStrategy?: "FULL";
}

export type TaskState = Described & {
  Type: "Task";
  Resource: string;
  Parameters: Record<string, unknown>;
  TimeoutSeconds?: number;
  Retry?: Retrier[];
  Catch?: [Catcher];
  /** `null`: the state remains unchanged. */
  ResultPath?: null;
  OutputPath?: string;
} & Transition;

export type State =
  | TaskState
  | (Described & { Type: "Choice"; Choices: { Variable: string; StringEquals: string; Next: string }[]; Default: string })
  | (Described & { Type: "Wait"; SecondsPath: string } & Transition)
  | (Described & { Type: "Succeed" })
  | (Described & {
      Type: "Map";
      ItemsPath: string;
      ItemSelector: Record<string, unknown>;
      MaxConcurrency?: number;
      MaxConcurrencyPath?: string;
      ItemProcessor: Definition & { ProcessorConfig: { Mode: "INLINE" } };
      ResultPath: null;
      Catch: [Catcher];
    } & Transition)
  | (Described & { Type: "Parallel"; Branches: Definition[]; ResultPath: null; Catch: [Catcher] } & Transition);

export interface Definition extends Described {
  StartAt: string;
  States: Record<string, State>;
}

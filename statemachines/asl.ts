/** The part of Amazon States Language that flows are compiled to: what AWS and the local engine understand alike. */
interface Described {
  Comment?: string;
}
interface Catcher {
  ErrorEquals: ["States.ALL"];
  /** What failed stands in the journal; the state goes on as it was. */
  ResultPath: null;
  Next: string;
}
type Then = { Next: string } | { End: true };

export type TaskState = Described & {
  Type: "Task";
  Resource: string;
  Parameters: Record<string, unknown>;
  TimeoutSeconds?: number;
  Retry?: { ErrorEquals: string[]; IntervalSeconds: number; MaxAttempts: number; BackoffRate: number }[];
  Catch?: [Catcher];
  /** `null`: the state goes on as it was. */
  ResultPath?: null;
  OutputPath?: string;
} & Then;

export type State =
  | TaskState
  | (Described & { Type: "Choice"; Choices: { Variable: string; StringEquals: string; Next: string }[]; Default: string })
  | (Described & { Type: "Wait"; SecondsPath: string } & Then)
  | (Described & { Type: "Succeed" })
  | (Described & {
      Type: "Map";
      ItemsPath: string;
      ItemSelector: Record<string, unknown>;
      MaxConcurrency: number;
      ItemProcessor: Definition & { ProcessorConfig: { Mode: "INLINE" } };
      ResultPath: null;
      Catch: [Catcher];
    } & Then)
  | (Described & { Type: "Parallel"; Branches: Definition[]; ResultPath: null; Catch: [Catcher] } & Then);

export interface Definition extends Described {
  StartAt: string;
  States: Record<string, State>;
}

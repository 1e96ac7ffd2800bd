interface Command {
  file: string;
  packages: boolean;
  usage?: string;
  summary?: string;
  options?: Record<string, { type: "string" | "boolean" }>;
  argument?: boolean;
}
interface Options {
  texts: Record<string, string | undefined>;
  flags: Record<string, boolean>;
  argument: string | undefined;
}
export declare const commands: Record<string, Command>;
export declare function usageOf(command: Command): string;
export declare function readOptions(name: string, args?: readonly string[]): Options;

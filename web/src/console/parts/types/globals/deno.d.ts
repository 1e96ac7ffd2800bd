declare namespace Deno {
  interface FileInfo {
    readonly isFile: boolean;
    readonly isDirectory: boolean;
    readonly isSymlink: boolean;
    readonly size: number;
    readonly mtime: Date | null;
    [other: string]: NotDescribed;
  }
  interface DirEntry {
    readonly name: string;
    readonly isFile: boolean;
    readonly isDirectory: boolean;
    readonly isSymlink: boolean;
  }
  interface CommandOutput {
    readonly code: number;
    readonly success: boolean;
    readonly signal: string | null;
    readonly stdout: Uint8Array<ArrayBuffer>;
    readonly stderr: Uint8Array<ArrayBuffer>;
  }
  interface Options {
    args?: string[];
    cwd?: string | URL;
    env?: Record<string, string>;
    clearEnv?: boolean;
    stdin?: "piped" | "inherit" | "null";
    stdout?: "piped" | "inherit" | "null";
    stderr?: "piped" | "inherit" | "null";
    signal?: AbortSignal;
  }
}

/** The functions that Deno adds to the language. Others are allowed too. */
declare const Deno: {
  readonly args: string[];
  readonly pid: number;
  readonly version: { deno: string; v8: string; typescript: string };
  readonly build: { os: string; arch: string; [other: string]: NotDescribed };
  readonly env: {
    get(name: string): string | undefined;
    set(name: string, value: string): void;
    has(name: string): boolean;
    delete(name: string): void;
    toObject(): Record<string, string>;
  };
  cwd(): string;
  exit(code?: number): never;
  readTextFile(path: string | URL): Promise<string>;
  readTextFileSync(path: string | URL): string;
  writeTextFile(path: string | URL, text: string, options?: { append?: boolean; create?: boolean; mode?: number }): Promise<void>;
  writeTextFileSync(path: string | URL, text: string, options?: { append?: boolean; create?: boolean; mode?: number }): void;
  readFile(path: string | URL): Promise<Uint8Array<ArrayBuffer>>;
  readFileSync(path: string | URL): Uint8Array<ArrayBuffer>;
  writeFile(path: string | URL, data: Uint8Array, options?: { append?: boolean; create?: boolean; mode?: number }): Promise<void>;
  writeFileSync(path: string | URL, data: Uint8Array, options?: { append?: boolean; create?: boolean; mode?: number }): void;
  mkdir(path: string | URL, options?: { recursive?: boolean; mode?: number }): Promise<void>;
  remove(path: string | URL, options?: { recursive?: boolean }): Promise<void>;
  rename(from: string | URL, to: string | URL): Promise<void>;
  copyFile(from: string | URL, to: string | URL): Promise<void>;
  stat(path: string | URL): Promise<Deno.FileInfo>;
  readDir(path: string | URL): AsyncIterable<Deno.DirEntry>;
  makeTempDir(options?: { prefix?: string; suffix?: string; dir?: string }): Promise<string>;
  makeTempFile(options?: { prefix?: string; suffix?: string; dir?: string }): Promise<string>;
  /** A program to start: `await new Deno.Command("ls", { args: ["-l"] }).output()`. */
  readonly Command: new (
    program: string | URL,
    options?: Deno.Options,
  ) => {
    output(): Promise<Deno.CommandOutput>;
    outputSync(): Deno.CommandOutput;
    spawn(): NotDescribed;
  };
  inspect(value: unknown, options?: object): string;
  [other: string]: NotDescribed;
};

/** A file that is read when one of its methods is called. */
interface BunFile extends Blob {
  readonly name?: string;
  readonly lastModified: number;
  exists(): Promise<boolean>;
  json(): Promise<NotDescribed>;
  delete(): Promise<void>;
  write(data: string | ArrayBuffer | ArrayBufferView | Blob | Response): Promise<number>;
  [other: string]: NotDescribed;
}

/** A process that `Bun.spawn` has started. */
interface BunProcess {
  readonly pid: number;
  readonly exited: Promise<number>;
  readonly exitCode: number | null;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  kill(signal?: number | string): void;
}

/** The output of a command of Bun's shell. */
interface BunShellOutput {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  text(): string;
  json(): NotDescribed;
}

/** A command of Bun's shell. It runs when it is awaited. */
interface BunShellPromise extends Promise<BunShellOutput> {
  text(): Promise<string>;
  json(): Promise<NotDescribed>;
  lines(): AsyncIterable<string>;
  quiet(): this;
  nothrow(): this;
  cwd(folder: string): this;
  env(variables: Record<string, string | undefined>): this;
}

/** The functions that Bun adds to the language. Others are allowed too. */
declare const Bun: {
  readonly version: string;
  readonly env: Record<string, string | undefined>;
  readonly argv: string[];
  readonly main: string;
  /** Refers to a file, without reading it. */
  file(path: string | URL | number, options?: { type?: string }): BunFile;
  /** Writes a file, and returns the number of bytes. */
  write(
    destination: string | URL | BunFile,
    input: string | ArrayBuffer | ArrayBufferView | Blob | BunFile | Response,
    options?: { createPath?: boolean; mode?: number },
  ): Promise<number>;
  sleep(ms: number | Date): Promise<void>;
  sleepSync(ms: number): void;
  /** Starts a program. */
  spawn(command: string[], options?: { cwd?: string; env?: Record<string, string | undefined>; [other: string]: NotDescribed }): BunProcess;
  spawnSync(
    command: string[],
    options?: { cwd?: string; env?: Record<string, string | undefined>; [other: string]: NotDescribed },
  ): { exitCode: number; success: boolean; stdout: Buffer; stderr: Buffer };
  /** Runs a command of the shell. Values are escaped. */
  $(command: TemplateStringsArray, ...values: unknown[]): BunShellPromise;
  hash(data: string | ArrayBuffer | ArrayBufferView, seed?: number | bigint): number | bigint;
  readonly password: {
    hash(password: string, algorithm?: "argon2id" | "argon2i" | "argon2d" | "bcrypt"): Promise<string>;
    verify(password: string, hash: string): Promise<boolean>;
    [other: string]: NotDescribed;
  };
  randomUUIDv7(): string;
  which(program: string): string | null;
  deepEquals(a: unknown, b: unknown, strict?: boolean): boolean;
  inspect(value: unknown, options?: object): string;
  escapeHTML(value: unknown): string;
  gzipSync(data: string | ArrayBuffer | ArrayBufferView): Uint8Array<ArrayBuffer>;
  gunzipSync(data: ArrayBuffer | ArrayBufferView): Uint8Array<ArrayBuffer>;
  nanoseconds(): number;
  [other: string]: NotDescribed;
};

const HEAD_CHARS = 64 * 1024;
const TAIL_CHARS = 192 * 1024;

/** Tools name the registries that they use, and the owner's registry may have a password in its URL. */
const withoutCredentials = (text: string) => text.replace(/(\bhttps?:\/\/)[^\s/@]{1,500}@/gi, "$1***@");

/**
 * The log that helps the author to correct a failure. It is bounded: of a long log the beginning and the end are retained, where tools
 * report errors.
 */
export class BuildLog {
  private head = "";
  private tail = "";
  private cut = false;
  private readonly dir: string;

  /** `dir` is removed from the text, because the path no longer exists when the log is read. */
  constructor(dir: string) {
    this.dir = dir;
  }

  /** Adds text without colours and without the build's directory, and returns it. */
  add(coloured: string): string {
    const text = this.plain(coloured);
    const sandbox = HEAD_CHARS - this.head.length;
    this.head += text.slice(0, Math.max(0, sandbox));
    this.tail += text.slice(Math.max(0, sandbox));
    if (this.tail.length > 2 * TAIL_CHARS) {
      this.cut = true;
      this.tail = this.tail.slice(-TAIL_CHARS);
    }
    return text;
  }

  line(text: string): void {
    this.add(`${text}\n`);
  }

  toString(): string {
    const tail = this.cut || this.tail.length > TAIL_CHARS ? `\n[svc] The log was cut here.\n${this.tail.slice(-TAIL_CHARS)}` : this.tail;
    return this.head + tail;
  }

  private plain(text: string): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with the escape character.
    const colourless = text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "").replace(/\r(?!\n)/g, "\n");
    return withoutCredentials(colourless).replaceAll(`${this.dir}/`, "").replaceAll(this.dir, "");
  }
}

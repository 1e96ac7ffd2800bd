/** File systems allow 255 bytes for a name. */
const MOST_BYTES = 255;

/** Names that Windows reserves for devices, also with an ending. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/** Returns whether a name, possibly with folders, remains inside its folder and can exist on every system. */
export const isSafeName = (name: string): boolean => name.split("/").every(isSafePart);

function isSafePart(part: string): boolean {
  if (part === "" || /[\\\p{Cc}:*?"<>|]/u.test(part) || /[. ]$/.test(part)) return false;
  return !DEVICE.test(part) && Buffer.byteLength(part) <= MOST_BYTES;
}

/** Returns whether files with these names can be in one folder and would be read: none of them is hidden, or the folder of another one. */
export function areFileNames(names: readonly string[]): boolean {
  const folders = new Set(names.flatMap(foldersOf));
  return names.every(
    (name) => isSafeName(name) && !folders.has(name) && name.split("/").every((part) => !part.startsWith(".") && part !== "node_modules"),
  );
}

/** Returns the paths of all folders that contain a file. */
const foldersOf = (name: string): string[] => [...name.matchAll(/\//g)].map(({ index }) => name.slice(0, index));

/** The files of items in one folder. It finds files that would replace a file of another item, or need a folder in place of it. */
export class TakenNames {
  readonly #ignoresCase: boolean;
  /** The items by the names of their files. */
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, Set<string>>();

  /** `ignoresCase`: names that differ only in their case, or in how accents are encoded, are those of one file. */
  constructor({ ignoresCase }: { ignoresCase: boolean }) {
    this.#ignoresCase = ignoresCase;
  }

  #normalize(name: string): string {
    return this.#ignoresCase ? name.normalize("NFC").toLowerCase() : name;
  }

  /** Returns another item that conflicts with the files of an item. */
  findOther(item: string, names: readonly string[]): string | undefined {
    for (const name of names.map((one) => this.#normalize(one))) {
      const owners = [name, ...foldersOf(name)].map((path) => this.#files.get(path));
      const other = [...owners, ...(this.#folders.get(name) ?? [])].find((owner) => owner !== undefined && owner !== item);
      if (other !== undefined) return other;
    }
    return undefined;
  }

  add(item: string, names: readonly string[]): void {
    for (const name of names.map((one) => this.#normalize(one))) {
      this.#files.set(name, item);
      for (const folder of foldersOf(name)) this.#folders.set(folder, (this.#folders.get(folder) ?? new Set()).add(item));
    }
  }
}

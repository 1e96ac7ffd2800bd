/** The fields of an entry that tests choose. `type`: `0` for a file. */
interface TarEntry {
  path: string;
  content?: string | Uint8Array;
  type?: string;
  link?: string;
  /** The size in the header, if it is not that of the content. */
  size?: number;
}

/** Returns an uncompressed tar archive in the format `ustar`. */
export function aTar(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(anEntry), Buffer.alloc(1024)]);
}

function anEntry({ path, content = "", type = "0", link = "", size }: TarEntry): Buffer[] {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(path, 0, 100);
  header.write("0000644\0", 100);
  header.write(`${(size ?? bytes.length).toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write(" ".repeat(8), 148);
  header.write(type, 156);
  header.write(link, 157, 100);
  header.write("ustar\u000000", 257);
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, "0")}\0 `,
    148,
  );
  return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
}

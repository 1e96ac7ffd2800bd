import { StringDecoder } from "node:string_decoder";
import { LOG_CUT_MARKER } from "../../protocol.ts";

/** A piece of the log and its offset in UTF-16 units. */
export interface LogPiece {
  offset: number;
  text: string;
}

/** The log of one run: buffers the output that no beat has carried yet. */
export class LogBuffer {
  readonly #decoder = new StringDecoder("utf8");
  readonly #maxBytes: number;
  #bytes = 0;
  #cut = false;
  #sent = 0;
  #pending: string[] = [];
  #pendingUnits = 0;

  /** @param maxBytes limit of the output in bytes as the process wrote it, without the cut marker */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get unsentUnits(): number {
    return this.#pendingUnits;
  }

  get totalUnits(): number {
    return this.#sent + this.#pendingUnits;
  }

  push(chunk: Buffer): void {
    if (this.#cut) return;
    const room = this.#maxBytes - this.#bytes;
    if (chunk.length <= room) {
      this.#bytes += chunk.length;
      this.#append(this.#decoder.write(chunk));
      return;
    }
    // A character that the limit splits remains in the decoder and is dropped with the rest.
    this.#append(this.#decoder.write(chunk.subarray(0, room)));
    this.#cut = true;
    this.#append(LOG_CUT_MARKER.replace("{limit}", String(Math.round((this.#maxBytes / 1_048_576) * 100) / 100)));
  }

  /** Ends the log: an incomplete character at the end becomes U+FFFD. */
  end(): void {
    if (!this.#cut) this.#append(this.#decoder.end());
    this.#cut = true;
  }

  /** Returns the oldest unsent text, at most `maxUnits` UTF-16 units, without splitting a surrogate pair. It remains until `acknowledge`. */
  peek(maxUnits = Number.POSITIVE_INFINITY): LogPiece {
    let text = this.#pending.join("");
    this.#pending = text ? [text] : [];
    if (text.length > maxUnits) {
      const last = text.charCodeAt(maxUnits - 1);
      text = text.slice(0, last >= 0xd800 && last < 0xdc00 ? maxUnits - 1 : maxUnits);
    }
    return { offset: this.#sent, text };
  }

  acknowledge(piece: LogPiece): void {
    const rest = this.#pending.join("").slice(piece.text.length);
    this.#pending = rest ? [rest] : [];
    this.#pendingUnits = rest.length;
    this.#sent += piece.text.length;
  }

  #append(text: string): void {
    if (!text) return;
    this.#pending.push(text);
    this.#pendingUnits += text.length;
  }
}

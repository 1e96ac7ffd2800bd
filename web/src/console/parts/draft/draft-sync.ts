/** A draft as the service stores it. */
export interface StoredDraft<V> {
  value: V;
  savedAt: string;
}

/** A draft as the browser stores it. */
export interface BrowserDraft<V> {
  value: V;
  /** The time of the stored draft that it began from. */
  syncedAt: string | undefined;
  isUnsent: boolean;
}

export type WriteResult<V> =
  | { kind: "saved"; savedAt: string | undefined }
  /** The stored draft is newer than the last one that was read or written here. */
  | { kind: "changed"; stored: StoredDraft<V> | undefined }
  /** No answer, or an ended session: the draft is sent again later. */
  | { kind: "unreachable" }
  /** The service refuses drafts like this one. The browser keeps it. */
  | { kind: "refused" };

export interface DraftPorts<V> {
  read: () => Promise<StoredDraft<V> | undefined | "unreachable">;
  /** `undefined` deletes the draft. */
  write: (value: V | undefined, options: { syncedAt: string | undefined; force: boolean }) => Promise<WriteResult<V>>;
  readBrowser: () => BrowserDraft<V> | undefined;
  keepInBrowser: (draft: BrowserDraft<V> | undefined) => void;
  /** Reports a change of the stored draft to the other tabs. */
  announce: () => void;
  onChange: (state: DraftState<V>) => void;
}

export interface DraftState<V> {
  status: "loading" | "none" | "typed" | "sending" | "saved" | "unreachable" | "refused";
  /** The value that the editor must show: at first, and after a tab or a choice has replaced it. It is the same object otherwise. */
  shown: V | undefined;
  /** A newer draft from another tab or browser. Nothing is sent until the person has chosen. */
  newer: StoredDraft<V> | undefined;
}

/** The time between the last change and its copy in the browser, or in the service. */
const BROWSER_MS = 300;
export const SEND_MS = 3_000;
/** A person who types all the time is saved this often. */
export const MOST_MS = 15_000;
const RETRY_MS = 20_000;

/**
 * Keeps what a person types into an editor: at once in the browser, and after a pause in the service. At most one write is under way. A draft that
 * another tab or browser has changed is never overwritten without a choice.
 */
export class DraftSync<V> {
  private readonly ports: DraftPorts<V>;
  private state: DraftState<V> = { status: "loading", shown: undefined, newer: undefined };
  private value: V | undefined;
  private syncedAt: string | undefined;
  private isUnsent = false;
  private isWriting = false;
  private hasEnded = false;
  private firstChangeMs: number | undefined;
  private sendTimer: ReturnType<typeof setTimeout> | undefined;
  private browserTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(ports: DraftPorts<V>) {
    this.ports = ports;
  }

  /** Reads both copies. A copy in the browser that was not sent counts, and is sent, unless the stored draft has changed since. */
  async load(): Promise<void> {
    const kept = this.ports.readBrowser();
    const stored = await this.ports.read();
    if (this.hasEnded) return;
    if (stored === "unreachable") {
      this.syncedAt = kept?.syncedAt;
      this.accept(kept?.value, kept?.isUnsent === true);
      return this.report({ status: "unreachable" });
    }
    if (!kept?.isUnsent) {
      this.syncedAt = stored?.savedAt;
      this.accept(stored?.value, false);
      return this.report({ status: stored ? "saved" : "none" });
    }
    this.syncedAt = kept.syncedAt;
    this.accept(kept.value, true);
    const hasChanged = stored !== undefined && stored.savedAt !== kept.syncedAt;
    this.report({ status: "typed", newer: hasChanged ? stored : undefined });
    this.schedule(SEND_MS);
  }

  /** Keeps a change. */
  keep(value: V): void {
    this.value = value;
    this.isUnsent = true;
    this.firstChangeMs ??= Date.now();
    this.browserTimer ??= setTimeout(() => this.storeInBrowser(), BROWSER_MS);
    if (this.state.status !== "refused" && this.state.status !== "unreachable") this.report({ status: "typed" });
    const waitMs = this.state.status === "refused" ? MOST_MS : SEND_MS;
    this.schedule(Math.max(0, Math.min(waitMs, this.firstChangeMs + MOST_MS - Date.now())));
  }

  /** Sends what is not sent, for example when the browser is online again. */
  retry(): void {
    if (this.isUnsent) this.schedule(0);
  }

  /** Writes the copy of the browser now, because the page may end. */
  storeInBrowser(): void {
    clearTimeout(this.browserTimer);
    this.browserTimer = undefined;
    if (this.value !== undefined && this.isUnsent) this.ports.keepInBrowser({ value: this.value, syncedAt: this.syncedAt, isUnsent: true });
  }

  /** Another tab has changed the stored draft. An editor without unsent changes shows it. */
  async refresh(): Promise<void> {
    if (this.isWriting) return;
    const stored = await this.ports.read();
    if (this.hasEnded || this.isWriting || stored === "unreachable" || stored?.savedAt === this.syncedAt) return;
    if (this.isUnsent) return this.report({ newer: stored });
    this.syncedAt = stored?.savedAt;
    if (stored) this.accept(stored.value, false);
    this.report({ status: stored ? "saved" : "none" });
  }

  /** Keeps the text of this editor instead of the newer draft. */
  keepMine(): void {
    this.syncedAt = this.state.newer?.savedAt ?? this.syncedAt;
    this.report({ newer: undefined });
    this.retry();
  }

  /** Shows the newer draft instead of the text of this editor. */
  takeNewer(): void {
    const { newer } = this.state;
    if (!newer) return;
    this.syncedAt = newer.savedAt;
    this.accept(newer.value, false);
    this.ports.keepInBrowser(undefined);
    this.report({ newer: undefined, status: "saved" });
  }

  /** Removes the draft everywhere. Returns whether the service has removed it. */
  async discard(): Promise<boolean> {
    this.forget();
    const result = await this.ports.write(undefined, { syncedAt: undefined, force: true });
    this.announce();
    return result.kind === "saved";
  }

  private forget(): void {
    clearTimeout(this.sendTimer);
    clearTimeout(this.browserTimer);
    this.browserTimer = undefined;
    this.value = undefined;
    this.isUnsent = false;
    this.syncedAt = undefined;
    this.firstChangeMs = undefined;
    this.ports.keepInBrowser(undefined);
    this.report({ status: "none", newer: undefined });
  }

  end(): void {
    this.storeInBrowser();
    this.hasEnded = true;
    clearTimeout(this.sendTimer);
  }

  private accept(value: V | undefined, isUnsent: boolean): void {
    this.value = value;
    this.isUnsent = isUnsent;
    this.state = { ...this.state, shown: value };
  }

  private schedule(afterMs: number): void {
    clearTimeout(this.sendTimer);
    this.sendTimer = setTimeout(() => void this.send(), afterMs);
  }

  private async send(): Promise<void> {
    if (this.isWriting || this.hasEnded || !this.isUnsent || this.state.newer || this.value === undefined) return;
    const { value } = this;
    this.isWriting = true;
    this.firstChangeMs = undefined;
    this.report({ status: "sending" });
    const result = await this.ports.write(value, { syncedAt: this.syncedAt, force: false });
    this.isWriting = false;
    // Without a value, the draft was discarded or deployed during the write.
    if (this.value === undefined) {
      if (result.kind === "saved") await this.ports.write(undefined, { syncedAt: undefined, force: true });
      return;
    }
    const isNewest = this.value === value;
    switch (result.kind) {
      case "saved":
        this.syncedAt = result.savedAt;
        this.isUnsent = !isNewest;
        this.ports.keepInBrowser({ value: this.value, syncedAt: this.syncedAt, isUnsent: this.isUnsent });
        this.announce();
        this.report({ status: isNewest ? "saved" : "typed" });
        break;
      case "changed":
        // The draft was discarded elsewhere: this text is still wanted here.
        if (!result.stored) this.syncedAt = undefined;
        this.report({ status: "typed", newer: result.stored });
        break;
      case "refused":
        return this.report({ status: "refused" });
      default:
        this.report({ status: "unreachable" });
        return this.hasEnded ? undefined : this.schedule(RETRY_MS);
    }
    if (this.isUnsent && !this.hasEnded) this.schedule(SEND_MS);
  }

  /** The editor may end during a write. Then its channel to the other tabs is closed. */
  private announce(): void {
    if (!this.hasEnded) this.ports.announce();
  }

  private report(changes: Partial<DraftState<V>>): void {
    this.state = { ...this.state, ...changes };
    if (!this.hasEnded) this.ports.onChange(this.state);
  }
}

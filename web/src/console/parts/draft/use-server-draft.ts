import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { createClient } from "../../../../../contract/client/client.ts";
import type { Body } from "../../../../../contract/client/operation.ts";
import { draftOperations } from "../../../../../contract/client/operations/stored.ts";
import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import type { DraftKind } from "../../../../../contract/routes/stored/drafts.ts";
import { Refused, send } from "../../../shared/service.ts";
import { keyOfPerson, listKeysOfPerson, readStored, store } from "../../data/browser-storage.ts";
import { useMember } from "../../data/me.ts";
import { session, useSessionState } from "../../data/session.ts";
import { type BrowserDraft, type DraftPorts, type DraftState, DraftSync, type StoredDraft, type WriteResult } from "./draft-sync.ts";

const { call } = createClient(draftOperations, send);

/** Begins the keys of the drafts of editors. They are larger than those of forms. */
const OF_EDITOR = "editor";
const MOST_KEPT = 5;
const MAX_CHARACTERS = 1_200_000;
/** Older than any draft: a draft that appears after this editor has read that there is none is newer. */
const NEVER = new Date(0).toISOString();

interface DraftOptions<V> {
  workspace: string;
  kind: DraftKind;
  /** The path of the stored object. A new object needs a path of its author, such as `u/ann/new_script`. */
  path: string;
  /** Returns a draft if it has the form of one. Other programs can write drafts. */
  parse: (value: unknown) => V | undefined;
  /** Returns the part that a browser may store, which is without secrets, or `undefined`. Default: all of it. */
  forBrowser?: (value: V) => V | undefined;
}

/** The draft of an editor, and how the person changes it. */
export interface ServerDraft<V> extends DraftState<V> {
  keep: (value: V) => void;
  keepMine: () => void;
  takeNewer: () => void;
  /** Removes the draft, also after a deployment. Returns whether the service has removed it. */
  discard: () => Promise<boolean>;
}

/** Keeps what is typed into an editor: per person in the service, and in the browser until the service has it. */
export function useServerDraft<V>({ workspace, kind, path, parse, forBrowser }: DraftOptions<V>): ServerDraft<V> {
  const { username } = useMember();
  const [state, setState] = useState<DraftState<V>>({ status: "loading", shown: undefined, newer: undefined });
  const latest = useRef({ parse, forBrowser });
  latest.current = { parse, forBrowser };
  const sync = useRef<DraftSync<V>>(undefined);
  useEffect(() => {
    const key = keyOfPerson(OF_EDITOR, username, workspace, kind, path);
    const channel = new BroadcastChannel(key);
    const started = new DraftSync<V>({
      ...serverOf({ workspace, kind, path }, (value) => latest.current.parse(value)),
      readBrowser: () => parseBrowserDraft(readStored(key), latest.current.parse),
      keepInBrowser: (draft) => {
        const value = draft && (latest.current.forBrowser ? latest.current.forBrowser(draft.value) : draft.value);
        // The browser needs no copy of a stored draft.
        keepForEditor(key, value === undefined || !draft?.isUnsent ? undefined : { ...draft, value });
      },
      announce: () => channel.postMessage("changed"),
      onChange: setState,
    });
    sync.current = started;
    setState({ status: "loading", shown: undefined, newer: undefined });
    void started.load();
    channel.onmessage = () => void started.refresh();
    const retry = () => started.retry();
    const hide = () => started.storeInBrowser();
    window.addEventListener("online", retry);
    window.addEventListener("pagehide", hide);
    document.addEventListener("visibilitychange", hide);
    return () => {
      started.end();
      channel.close();
      window.removeEventListener("online", retry);
      window.removeEventListener("pagehide", hide);
      document.removeEventListener("visibilitychange", hide);
    };
  }, [username, workspace, kind, path]);
  const sessionState = useSessionState();
  useEffect(() => {
    if (sessionState === "open") sync.current?.retry();
  }, [sessionState]);
  const keep = useCallback((value: V) => sync.current?.keep(value), []);
  return useMemo(
    () => ({
      ...state,
      keep,
      keepMine: () => sync.current?.keepMine(),
      takeNewer: () => sync.current?.takeNewer(),
      discard: async () => (await sync.current?.discard()) ?? false,
    }),
    [state, keep],
  );
}

type DraftBody = Body<"drafts.update">;

const isTemporary = ({ status }: Refused) => status === 0 || status === 401 || status === 429 || status >= 500;

function serverOf<V>(at: { workspace: string; kind: DraftKind; path: string }, parse: (value: unknown) => V | undefined) {
  let hasSession = true;
  /** Asks for a new sign-in, once: a person may continue to type without one. */
  const noteFailure = (error: Refused) => {
    if (error.status === 401 && hasSession) session.end();
    hasSession = error.status !== 401;
  };
  const read = async (): Promise<StoredDraft<V> | undefined | "unreachable"> => {
    try {
      // Most editors have no draft, and a request that fails is an error in the browser's log.
      const heads = await call.drafts.list({ workspace: at.workspace });
      if (!heads.some(({ kind, path }) => kind === at.kind && path === at.path)) return undefined;
      const { value, created_at } = await call.drafts.getOwn(at);
      const parsed = parse(value);
      return parsed === undefined ? undefined : { value: parsed, savedAt: created_at };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      noteFailure(error);
      return isTemporary(error) ? "unreachable" : undefined;
    }
  };
  const write: DraftPorts<V>["write"] = async (value, { syncedAt, force }): Promise<WriteResult<V>> => {
    try {
      const { created_at } = await call.drafts.update({
        ...at,
        body: { value: value as object as DraftBody["value"], last_sync: syncedAt ?? NEVER, force },
      });
      hasSession = true;
      return { kind: "saved", savedAt: created_at ?? undefined };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      noteFailure(error);
      if (isTemporary(error)) return { kind: "unreachable" };
      if (error.code !== "draft.changedMeanwhile") return { kind: "refused" };
      const stored = await read();
      // A draft of another form cannot be shown, so it is no choice.
      if (stored === undefined && !force) return write(value, { syncedAt, force: true });
      return stored === "unreachable" ? { kind: "unreachable" } : { kind: "changed", stored };
    }
  };
  return { read, write };
}

function parseBrowserDraft<V>(kept: unknown, parse: (value: unknown) => V | undefined): BrowserDraft<V> | undefined {
  if (!isJsonObject(kept)) return undefined;
  const value = parse(kept["value"]);
  const { syncedAt, isUnsent } = kept;
  return value === undefined
    ? undefined
    : { value, syncedAt: typeof syncedAt === "string" ? syncedAt : undefined, isUnsent: isUnsent === true };
}

/** Keeps the newest drafts of editors in the browser. */
function keepForEditor(key: string, draft: object | undefined): void {
  const isKept = draft !== undefined && JSON.stringify(draft).length <= MAX_CHARACTERS;
  store(key, isKept ? { ...draft, atMs: Date.now() } : undefined);
  if (!isKept) return;
  const atMsOf = (each: string) => {
    const entry = readStored(each);
    return isJsonObject(entry) ? Number(entry["atMs"]) || 0 : 0;
  };
  const others = listKeysOfPerson(OF_EDITOR).sort((a, b) => atMsOf(b) - atMsOf(a));
  for (const each of others.slice(MOST_KEPT)) store(each, undefined);
}

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useMember, useWorkspace } from "../../data/me.ts";
import { listUnfinished, type UnfinishedUpload, type Uploader, type UploadTarget } from "./unfinished.ts";
import { discardUpload, fileExists, upload } from "./upload.ts";

export type UploadState =
  | { name: "checking" | "exists" | "canceled" | "stored" }
  | { name: "sending" | "paused"; bytes: number }
  | { name: "failed"; bytes: number; error: unknown };

/** A file that this page uploads. */
export interface PageUpload {
  /** Its number on this page. */
  number: number;
  file: File;
  target: UploadTarget | undefined;
  state: UploadState;
}

/** The actions of a person on an upload. */
export interface UploadControls {
  pause: (number: number) => void;
  /** Continues a paused upload, and repeats one that failed or was canceled. */
  resume: (number: number) => void;
  /** Ends an upload, and removes what the storage has of it. */
  cancel: (number: number) => void;
  replace: (number: number) => void;
}

export interface Uploads extends UploadControls {
  uploads: readonly PageUpload[];
  /** The uploads that this browser can continue when the person chooses their files again. */
  unfinished: readonly UnfinishedUpload[];
  /** Returns the key when the file is stored. Pauses and failures do not end it. Rejects if the person cancels the upload. */
  start: (file: File, target?: UploadTarget, options?: { mayReplace: boolean }) => Promise<string>;
  discard: (unfinished: UnfinishedUpload) => void;
}

interface Task extends Pick<PageUpload, "number" | "file" | "target"> {
  /** The workspace of the address can change before the upload ends. */
  uploader: Uploader;
  mayReplace: boolean;
  controller: AbortController;
  /** Ends when the task is not being sent. A next attempt waits for it, because it needs the lock of the upload. */
  isIdle: Promise<void>;
  /** The id of an upload in parts. */
  id?: string;
  settle: PromiseWithResolvers<string>;
}

/** Whether the person decides first if an existing file is replaced. An upload that has begun was decided already, and may have made the file. */
const mustCheck = ({ target, mayReplace, id }: Task): boolean => target !== undefined && !mayReplace && id === undefined;

const bytesOf = (state: UploadState): number => ("bytes" in state ? state.bytes : 0);

/** Uploads files to the workspace of the address. The uploads end with the page, and can be continued. */
export function useUploads(onStored?: () => void): Uploads {
  const workspace = useWorkspace();
  const { username } = useMember();
  const uploader = useMemo(() => ({ workspace, username }), [workspace, username]);
  const [uploads, setUploads] = useState<readonly PageUpload[]>([]);
  const [stored, setStored] = useState(() => listUnfinished(uploader));
  const tasks = useRef(new Map<number, Task>());
  useEffect(() => {
    const started = tasks.current;
    return () => {
      for (const { controller } of started.values()) controller.abort(new Error("The page was closed."));
    };
  }, []);
  const refresh = useCallback(() => setStored(listUnfinished(uploader)), [uploader]);
  useEffect(refresh, [refresh]);
  const show = (number: number, change: (state: UploadState) => UploadState) =>
    setUploads((current) => current.map((each) => (each.number === number ? { ...each, state: change(each.state) } : each)));

  const send = async (task: Task, signal: AbortSignal) => {
    const { number, uploader: starter, file, target, settle } = task;
    try {
      signal.throwIfAborted();
      if (target && mustCheck(task) && (await fileExists(starter.workspace, target, signal)))
        return show(number, () => ({ name: "exists" }));
      show(number, (state) => ({ name: "sending", bytes: bytesOf(state) }));
      const onStart = (id: string) => {
        task.id = id;
        refresh();
      };
      const onBytes = (bytes: number) => !signal.aborted && show(number, () => ({ name: "sending", bytes }));
      const key = await upload(starter, file, { onBytes, onStart, signal, target });
      show(number, () => ({ name: "stored" }));
      settle.resolve(key);
      onStored?.();
    } catch (error) {
      // A pause or a cancellation has shown its state.
      if (!signal.aborted) show(number, (state) => ({ name: "failed", bytes: bytesOf(state), error }));
    }
    refresh();
  };
  const run = (task: Task) => {
    const { number, isIdle } = task;
    const controller = new AbortController();
    task.controller = controller;
    show(number, (state) => (mustCheck(task) ? { name: "checking" } : { name: "sending", bytes: bytesOf(state) }));
    task.isIdle = isIdle.then(() => send(task, controller.signal));
  };

  const start: Uploads["start"] = (file, target, { mayReplace } = { mayReplace: true }) => {
    const number = tasks.current.size;
    const settle = Promise.withResolvers<string>();
    // A caller may ignore the promise.
    settle.promise.catch(() => undefined);
    const task = { number, uploader, file, target, mayReplace, controller: new AbortController(), isIdle: Promise.resolve(), settle };
    tasks.current.set(number, task);
    setUploads((current) => [...current, { number, file, target, state: { name: "checking" } }]);
    run(task);
    return settle.promise;
  };
  const withTask = (act: (task: Task) => void) => (number: number) => {
    const task = tasks.current.get(number);
    if (task) act(task);
  };
  const discardId = (owner: Uploader, id: string) => {
    // The service removes what it still has after a day.
    void discardUpload(owner, id).catch(() => undefined);
    refresh();
  };
  const ofPage = new Set([...tasks.current.values()].map(({ id }) => id));
  return {
    uploads,
    unfinished: stored.filter(({ id }) => !ofPage.has(id)),
    start,
    pause: withTask(({ number, controller }) => {
      show(number, (state) => ({ name: "paused", bytes: bytesOf(state) }));
      controller.abort(new Error("The upload was paused."));
    }),
    resume: withTask(run),
    cancel: withTask((task) => {
      const { number, uploader: starter, controller, id, settle } = task;
      show(number, () => ({ name: "canceled" }));
      controller.abort(new Error("The upload was canceled."));
      if (id !== undefined) discardId(starter, id);
      delete task.id;
      settle.reject(new Error("The upload was canceled."));
    }),
    replace: withTask((task) => {
      task.mayReplace = true;
      run(task);
    }),
    discard: ({ id }) => discardId(uploader, id),
  };
}

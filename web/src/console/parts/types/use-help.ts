import type { Extension } from "@codemirror/state";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { useWorkspace } from "../../data/me.ts";
import { resourceTypesQuery } from "../../pages/resources/resource-types-query.ts";
import { completeWith } from "../code/edit-extensions.ts";
import { isTypescript } from "../code/languages.ts";
import { callDeclarations, useTestedTypes } from "./tested-types.ts";

const NOTHING: Extension = [];
const NO_PACKAGES: Readonly<Record<string, string>> = {};
const BUILD_POLLED_MS = 3_000;

/** The stored version from which an edited script began. */
export interface ScriptVersion {
  path?: string | undefined;
  hash?: string | undefined;
  /** The text that is edited. */
  text?: string;
}

/**
 * Returns what helps to write a script in a language: types, completions and errors of TypeScript, completions of our client in Python and Go
 * and of names in Bash, and syntax errors of Python, Go and Bash. Types are loaded once the browser has time.
 */
export function useHelp(language: string, isOn: boolean, version: ScriptVersion = {}): Extension {
  const workspace = useWorkspace();
  const isTyped = isOn && isTypescript(language);
  const module = useQuery({
    queryKey: ["types of scripts"],
    queryFn: async () => {
      await untilIdle();
      return { ...(await import("./show-types.ts")), ...(await import("./page-types.ts")) };
    },
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isTyped,
  }).data;
  const resourceTypes = useQuery({ ...resourceTypesQuery(workspace), enabled: isTyped && module !== undefined }).data;
  useEffect(() => {
    if (resourceTypes) module?.typesOf(workspace).setContext({ resourceTypes });
  }, [module, workspace, resourceTypes]);
  const { path, hash } = version;
  const declarations = useQuery({
    queryKey: [workspace, "declarations of", hash],
    queryFn: ({ signal }) => (hash === undefined ? undefined : callDeclarations.declarations({ workspace, hash, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isTyped && module !== undefined && hash !== undefined,
    // The types of the former version are of use until the build of the next one has ended.
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data && !data.built ? BUILD_POLLED_MS : false),
  }).data;
  const tested = useTestedTypes(workspace, isTyped && module !== undefined, version);
  const packages = tested ?? ((hash !== undefined && declarations?.files) || NO_PACKAGES);
  useEffect(() => module?.typesOf(workspace).setContext({ packages }), [module, workspace, packages]);
  const untyped = useQuery({
    queryKey: ["help with", language],
    queryFn: () => loadHelp(language),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isOn && !isTyped,
  }).data;
  return useMemo(() => {
    if (!isTyped) return (isOn && untyped) || NOTHING;
    return module ? module.showTypes(module.typesOf(workspace), language, path) : NOTHING;
  }, [isOn, isTyped, untyped, module, workspace, language, path]);
}

/** Loads the help for a language without types. */
async function loadHelp(language: string): Promise<Extension> {
  switch (language) {
    case "python3":
      return [await loadClient(language), (await import("../syntax/python.ts")).showPythonErrors];
    case "go":
      return [await loadClient(language), (await import("../syntax/show-syntax-errors.ts")).showSyntaxErrors(language)];
    case "bash":
      return [
        completeWith((await import("../syntax/bash/complete-bash.ts")).completeBash),
        (await import("../syntax/show-syntax-errors.ts")).showSyntaxErrors(language),
      ];
    default:
      return NOTHING;
  }
}

const loadClient = async (language: string) => (await import("../code/complete-client.ts")).completeClient(language);

/** Resolves when the browser has nothing more urgent to do, so that the editor can be used before. */
const untilIdle = () =>
  new Promise<void>((resolve) => {
    if ("requestIdleCallback" in globalThis) requestIdleCallback(() => resolve(), { timeout: 2_000 });
    else setTimeout(resolve, 200);
  });

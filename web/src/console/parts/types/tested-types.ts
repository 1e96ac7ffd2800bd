import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useRef } from "react";
import { createClient } from "../../../../../contract/client/client.ts";
import { scriptDeclarationOperations } from "../../../../../contract/client/operations/stored.ts";
import { send } from "../../../shared/service.ts";

/** The routes for the types of packages. */
export const callDeclarations = createClient(scriptDeclarationOperations, send).call.scripts;

/** The queries for the types of the packages of tested code. The end of a test invalidates them. */
export const testedTypesKey = (workspace: string) => [workspace, "types of tested code"];

/** Returns the types of the packages of the text, if it was tested or deployed with this text, or of the text that was last. */
export function useTestedTypes(
  workspace: string,
  isOn: boolean,
  { hash, text = "" }: { hash?: string | undefined; text?: string | undefined },
): Readonly<Record<string, string>> | undefined {
  const queries = useQueryClient();
  const latest = useRef(text);
  latest.current = text;
  // A new version begins with its own types.
  const queryKey = [...testedTypesKey(workspace), useId(), hash];
  return (
    useQuery({
      queryKey,
      queryFn: async ({ signal }): Promise<Readonly<Record<string, string>> | null> => {
        const { files } = await callDeclarations.sourceDeclarations({ workspace, sha256: await hashText(latest.current), signal });
        const former = queries.getQueryData<Readonly<Record<string, string>> | null>(queryKey) ?? null;
        return Object.keys(files).length > 0 ? files : former;
      },
      staleTime: Number.POSITIVE_INFINITY,
      enabled: isOn && text.includes("import"),
    }).data ?? undefined
  );
}

async function hashText(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text.replaceAll(/\r\n?/g, "\n")));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

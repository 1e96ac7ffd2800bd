import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { isJsonObject } from "../../../../../../../contract/json/json-object.ts";
import { call } from "../../../../data/api.ts";
import type { ModuleValue } from "../../document/flow-document.ts";

const TYPED_MS = 300;
type Schema = Record<string, unknown>;

const firstSchema = (...schemas: unknown[]): Schema | null => schemas.find(isJsonObject) ?? null;

async function loadSchema(workspace: string, type: string, path: string, hash: string, signal: AbortSignal): Promise<Schema | null> {
  if (type === "flow") return firstSchema((await call.flows.get({ workspace, path, signal })).schema);
  const script = await (hash ? call.scripts.getByHash({ workspace, hash, signal }) : call.scripts.getByPath({ workspace, path, signal }));
  return firstSchema(script.schema, script.inferred_schema);
}

/** The schema of a step's inputs: of the script or flow that it calls, or of its code. `null`: it cannot be read. */
export function useStepSchema(workspace: string, { type, path = "", hash = "", language = "", content = "" }: ModuleValue) {
  const [code] = useDebouncedValue(String(content ?? ""), TYPED_MS);
  const isInline = type === "rawscript";
  const keys = [String(path ?? ""), String(hash ?? ""), String(language ?? "")] as const;
  return useQuery({
    queryKey: [workspace, "step schema", type, ...keys, isInline ? code : ""],
    queryFn: async ({ signal }) =>
      isInline
        ? ((await import("./read-schema.ts")).readSchema(keys[2], code) ?? null)
        : loadSchema(workspace, type, keys[0], keys[1], signal),
    enabled: isInline || ((type === "script" || type === "flow") && keys[0] !== ""),
    // The inputs stay while the code is typed.
    placeholderData: (previous) => (isInline ? previous : undefined),
  });
}

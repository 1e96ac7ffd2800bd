import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { defined } from "../../../../../../contract/defined.ts";
import { Refused } from "../../../../shared/service.ts";
import { call } from "../../../data/api.ts";
import { runnableKey } from "../../runnable/use-runnable.ts";
import { type AuthoredField, type EditedScript, mergeFields, nextSchema, toEdited } from "../script.ts";

/** A newer version of another person, and the version that both began from. */
export interface Newer {
  base: EditedScript;
  theirs: EditedScript;
}

interface DeployOptions {
  workspace: string;
  script: EditedScript;
  /** The schema of the code, if it can be read. */
  inferred: Record<string, unknown> | undefined;
  onDeployed: (hash: string) => Promise<void>;
}

/** A newer version took the place of the one that this text began from. */
const isNewer = (error: Error): error is Refused =>
  error instanceof Refused && (error.code === "script.parentHasChild" || error.code === "script.changedMeanwhile");

/** Deploys a script as the child of the version that it began from. A newer version is never replaced without a merge. */
export function useDeploy({ workspace, script, inferred, onDeployed }: DeployOptions) {
  const queries = useQueryClient();
  const [newer, setNewer] = useState<Newer>();
  const deploy = useMutation({
    mutationFn: async (message: string) => {
      const { parent_hash, schema, ...fields } = script;
      // The service infers the schema of a version without one.
      const nextOne = schema && inferred ? nextSchema(schema, inferred) : schema;
      const body = {
        ...fields,
        ...defined({ schema: nextOne, parent_hash, deployment_message: message === "" ? undefined : message }),
      };
      try {
        return await call.scripts.create({ workspace, body });
      } catch (error) {
        if (!(error instanceof Error && isNewer(error)) || parent_hash === undefined) throw error;
        const [base, theirs] = await Promise.all([
          call.scripts.getByHash({ workspace, hash: parent_hash }),
          call.scripts.getByPath({ workspace, path: script.path }),
        ]);
        setNewer({ base: toEdited(base), theirs: toEdited(theirs) });
        return undefined;
      }
    },
    onSuccess: async (hash) => {
      if (hash === undefined) return;
      await onDeployed(hash);
      await Promise.all([
        queries.invalidateQueries({ queryKey: runnableKey(workspace, "script", script.path) }),
        queries.invalidateQueries({ queryKey: [workspace, "items"] }),
        queries.invalidateQueries({ queryKey: [workspace, "versions of", "script", script.path] }),
      ]);
    },
  });
  return {
    deploy,
    newer,
    /** Returns the script with the merged text and the chosen fields. It begins from the newer version. */
    merge: (content: string, chosenTheirs: ReadonlySet<AuthoredField>): EditedScript | undefined => {
      setNewer(undefined);
      if (!newer) return undefined;
      return { ...mergeFields(newer.base, newer.theirs, script, chosenTheirs), content, parent_hash: newer.theirs.parent_hash };
    },
    closeNewer: () => setNewer(undefined),
  };
}

import { parseReference, type Reference } from "../../contract/utilities/reference.ts";
import { findReferences } from "../../core/resources/references.ts";
import { parseResourceValue, resourceObject } from "../../core/resources/resource.ts";
import type { Uses } from "../uses.ts";

/** Returns for each reference the references in its resource. Variables contain none, and neither do resources that do not exist. */
export async function loadInnerReferences({ objects }: Uses<"objects">, workspace: string, texts: readonly string[]): Promise<string[][]> {
  const paths = new Map(
    texts.flatMap((text) => {
      const { kind, path } = parseReference(text) as Reference;
      return kind === "res" ? [[text, path] as const] : [];
    }),
  );
  const keys = [...paths.values()].map((path) => resourceObject.key(workspace, path));
  const stored = keys.length === 0 ? [] : await objects.batchGet(keys, { consistent: true });
  const values = new Map([...paths.keys()].map((text, index) => [text, stored[index]]));
  return texts.map((text) => {
    const found = values.get(text);
    return found ? findReferences(parseResourceValue(resourceObject.parse(found))) : [];
  });
}

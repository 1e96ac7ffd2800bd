import type { ScriptLanguage } from "../../contract/languages.ts";

export interface DeploymentOptions {
  /** The id of the workspace. The first deployment creates it if there is none. */
  readonly workspace: string;
  /** Whether the items are deleted, and scripts archived, when the app no longer has this call or the stack is deleted. By default they remain. */
  readonly remove?: boolean;
}

export interface FolderOptions extends DeploymentOptions {
  /** Distinguishes several folders of one workspace. Another id means another deployment. `Folder` by default. */
  readonly id?: string;
}

export interface ScriptOptions extends DeploymentOptions {
  /** Such as `f/orders/refund`. */
  readonly path: string;
  readonly language: ScriptLanguage;
  /** The source, or the file that contains it. */
  readonly source: { readonly content: string } | { readonly file: string };
  readonly summary?: string;
  readonly description?: string;
  /** Other fields of the script, as in `.script.yaml`. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface FlowOptions extends DeploymentOptions {
  readonly path: string;
  /** The content of the file `flow.yaml`, with `summary` and `value`, or the file itself. */
  readonly source: { readonly flow: Readonly<Record<string, unknown>> } | { readonly file: string };
}

import type { offers } from "../../../web/src/console/access/actions.ts";

/** An outsider is a member without any right on folders, a stranger belongs to another workspace, and a visitor is not signed in. */
export const roles = ["superadmin", "admin", "developer", "operator", "outsider", "stranger", "visitor"] as const;
export type Role = (typeof roles)[number];

export const signedIn: readonly Role[] = ["superadmin", "admin", "developer", "operator", "outsider", "stranger"];
export const members: readonly Role[] = ["superadmin", "admin", "developer", "operator", "outsider"];
export const readers: readonly Role[] = ["superadmin", "admin", "developer", "operator"];
export const admins: readonly Role[] = ["superadmin", "admin"];

export type Operation = keyof typeof offers;
/** The operation of a button. `only`: the roles that also have the rights on the object. Everyone who sees a request may decide it. */
export type Action = Operation | "approvals.decide" | { operation: Operation; only: readonly Role[] };
/** The names of buttons that change something, with their operations. */
export type Actions = Readonly<Record<string, Action>>;

export interface View {
  heading: string;
  /** A part of the page's text. */
  text?: string | undefined;
}

export interface RolePage {
  address: string;
  /** The roles that see the content. */
  seenBy: readonly Role[];
  content: View;
  actions?: Actions;
  /** The actions in the dialogs of the page, by the buttons that open them. */
  dialogs?: Readonly<Record<string, Actions>>;
  /** A button that is pressed first, by those who see the content. */
  press?: string;
  /** The view of all other roles, and what it offers to them. */
  refusal?: View & { actions?: Actions };
  /** The journeys of the other test files check the accessibility of this page. */
  isChecked?: true;
}

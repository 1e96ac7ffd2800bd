/** The facts that several parts of svc need about a kind of items, which are parts of a workspace that are stored as files. */
export interface Kind {
  /** The domain of its access rules. The names and the addresses of its routes begin with it. */
  readonly domain: string;
  /** The beginning of the addresses of its routes below the workspace, where it is not the domain. */
  readonly routes?: string;
  /** The beginning of the names of its routes, where it is not the domain. */
  readonly routeNames?: string;
  /** The beginning of its operations in the audit log, where it is not that of the names of its routes. */
  readonly operations?: string;
  /** The identifier of an item: a path in a folder (the default), a name, or nothing, because the workspace has one item of the kind. */
  readonly id?: "name" | "none";
  /** The file of an item without the ending of its format, with `*` for the path or the name. Default: `*.<kind>`. */
  readonly file?: string;
  /** The items are folders, or several files that other rules name. Default: an item is one file. */
  readonly layout?: "folder" | "script";
  /** The option of a synchronisation that leaves out (`skip…`) or includes (`include…`) the kind. Absent: it is always included. */
  readonly option?: string;
  /** The parameter of an archive with the same meaning. Absent: the archive always contains the kind. */
  readonly parameter?: string;
  /** Only the archives that svc's own CLI requests contain the kind: other clients stop at a file of a kind that they do not know. */
  readonly onlyInOwnArchives?: true;
  /** The list of `specificItems` whose globs give each workspace its own version of an item. */
  readonly specific?: string;
  /** Single objects can be shared: they have extra permissions. */
  readonly isShared?: true;
  /** Runs have the rights of the user who saved the item, and its file does not name that user. */
  readonly hasIdentity?: true;
  /** The values of all its items may contain passwords: plans do not show them. */
  readonly isConfidential?: true;
  /** A deletion loses a value that nothing else has: a push deletes an item only if that is requested. */
  readonly holdsValue?: true;
  /** Saves create versions, of which objects have a history, and users may have drafts. */
  readonly hasVersions?: true;
  /** Objects are archived instead of deleted. */
  readonly isArchived?: true;
  /** The columns of the list that the CLI prints. Absent: the kind has no commands. */
  readonly columns?: readonly string[];
  /** svc does not implement the kind: only files can have it. */
  readonly isMissing?: true;
}

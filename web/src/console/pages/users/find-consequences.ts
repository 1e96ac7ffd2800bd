interface RunsAs {
  path: string;
  permissioned_as: string;
}

interface Stored {
  schedules: readonly (RunsAs & { enabled: boolean })[];
  routes: readonly (RunsAs & { mode: string })[];
  triggers: readonly (RunsAs & { mode: string })[];
  folders: readonly { name: string; owners: readonly string[] }[];
  /** The groups of the user. */
  groups: readonly string[];
}

/** The objects that the removal of a user changes, by their paths and names. */
export interface Consequences {
  /** The enabled schedules that run with the rights of the user. */
  schedules: string[];
  /** The enabled HTTP routes that run with the rights of the user. */
  routes: string[];
  /** The enabled triggers of other kinds that run with the rights of the user. */
  triggers: string[];
  /** The folders of which the user is the only owner. */
  folders: string[];
  groups: string[];
}

/** Finds the objects that stop, or lose their owner, once a user is removed. */
export function findConsequences(username: string, { schedules, routes, triggers, folders, groups }: Stored): Consequences {
  const user = `u/${username}`;
  const startedBy = (all: readonly (RunsAs & { mode: string })[]) =>
    all.filter(({ permissioned_as, mode }) => mode !== "disabled" && permissioned_as === user).map(({ path }) => path);
  return {
    schedules: schedules.filter(({ permissioned_as, enabled }) => enabled && permissioned_as === user).map(({ path }) => path),
    routes: startedBy(routes),
    triggers: startedBy(triggers),
    folders: folders.filter(({ owners }) => owners.length === 1 && owners[0] === user).map(({ name }) => name),
    // Every user is in the group all.
    groups: groups.filter((name) => name !== "all"),
  };
}

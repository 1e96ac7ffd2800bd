import { Button, Group, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { isOffered } from "../../access/actions.ts";
import { useMember, useWorkspace } from "../../data/me.ts";
import { call } from "../../data/objects-api.ts";
import { storedText } from "../../messages/objects/stored.ts";
import { folderOfPath } from "./folder-of-path.ts";

interface PathFieldProps {
  /** Default: "Path". */
  label?: string;
  value: string;
  onChange: (path: string) => void;
}

/** The path of an object. It can create the folder of the path if there is none. Another path renames an object. */
export function PathField({ label = storedText.path, value, onChange }: PathFieldProps) {
  const workspace = useWorkspace();
  const member = useMember();
  const folder = folderOfPath(value);
  const folders = useQuery({
    queryKey: [workspace, "folder-names"],
    queryFn: ({ signal }) => call.folders.listNames({ workspace, signal }),
    enabled: folder !== undefined,
  });
  const isMissing = folder !== undefined && folders.data?.includes(folder) === false && isOffered("folders.create", member);
  return (
    <div>
      <TextInput
        data-autofocus
        label={label}
        description={storedText.pathHelp}
        required
        withAsterisk={false}
        maxLength={255}
        spellCheck={false}
        autoComplete="off"
        value={value}
        onChange={({ target }) => onChange(target.value.trim())}
      />
      {isMissing && <MissingFolder key={folder} workspace={workspace} name={folder} />}
    </div>
  );
}

function MissingFolder({ workspace, name }: { workspace: string; name: string }) {
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: () => call.folders.create({ workspace, body: { name } }),
    onSuccess: async () => {
      // The creator owns the folder.
      await Promise.all(["folder-names", "folders", "member"].map((each) => queries.invalidateQueries({ queryKey: [workspace, each] })));
    },
  });
  return (
    <Group gap="sm" mt={4}>
      <Text size="sm" role="status">
        {create.error?.message ?? storedText.noFolder(name)}
      </Text>
      <Button size="compact-sm" variant="default" loading={create.isPending} onClick={() => create.mutate()}>
        {storedText.createFolder(name)}
      </Button>
    </Group>
  );
}

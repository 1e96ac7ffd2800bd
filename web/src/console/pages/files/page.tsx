import "../../parts/stored/stored.css";
import { Anchor, Autocomplete, Button, Group, Table, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { toRequest } from "../../../../../contract/client/request.ts";
import { basePath } from "../../../shared/base-path.ts";
import { When } from "../../../shared/time/when.tsx";
import { isOffered } from "../../access/actions.ts";
import type { Search } from "../../data/address.ts";
import { call, operations } from "../../data/api.ts";
import { useMember, useWorkspace } from "../../data/me.ts";
import { Page } from "../../frame/page.tsx";
import { Empty, Panel } from "../../frame/panel.tsx";
import { filesText as text } from "../../messages/objects/files.ts";
import { storedText } from "../../messages/objects/stored.ts";
import { ListTable } from "../../parts/list-table.tsx";
import { DeleteDialog } from "../../parts/stored/delete-dialog.tsx";
import { TextFilter } from "../../parts/text-filter.tsx";
import { formatSize } from "../../parts/upload/format-size.ts";
import { useUploads } from "../../parts/upload/use-uploads.ts";
import { type FolderPart, parentsOf, readFolder, type StoredEntry } from "./folder.ts";
import { LinkDialog } from "./link-dialog.tsx";
import { listForPage, UploadPanel } from "./upload-panel.tsx";

/** Keys of a page, of which a part of a folder needs one or more. */
const PER_PAGE = 1000;

/** Lists the files of a workspace by folder, and uploads, shares and deletes them. */
export default function FilesPage() {
  const workspace = useWorkspace();
  const member = useMember();
  const mayUpload = isOffered("files.presignUpload", member);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const address: Search = useSearch({ strict: false });
  const { folder = "", search = "" } = address;
  const storage = address["storage"] || undefined;
  const change = (changes: Search) => void navigate({ to: ".", search: { ...address, ...changes }, replace: true });
  const [deleted, setDeleted] = useState<string>();
  const [shared, setShared] = useState<string>();
  const listKey = [workspace, "files", storage];
  const parts = useInfiniteQuery({
    queryKey: [...listKey, folder, search],
    queryFn: ({ pageParam, signal }): Promise<FolderPart> =>
      readFolder({ folder, search, after: pageParam }, (prefix, marker) =>
        call.files.list({ workspace, query: { prefix, marker, max_keys: PER_PAGE, storage }, signal }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
  const refresh = () => void queries.invalidateQueries({ queryKey: listKey });
  const uploads = useUploads(refresh);
  const [isUploading, setIsUploading] = useState(() => listForPage(uploads, storage).length > 0);
  return (
    <Page title={text.title}>
      <Text mb="sm">{text.why}</Text>
      <Group role="search" aria-label={text.filters} gap="xs" align="flex-end" mb="sm">
        <TextFilter label={text.search} placeholder={text.searchHelp} value={search} onTyped={(typed) => change({ search: typed })} />
        <StorageField
          workspace={workspace}
          value={storage ?? ""}
          onChange={(chosen) => change({ storage: chosen, folder: "", search: "" })}
        />
        {mayUpload && (
          <Button size="xs" color="blue.8" aria-expanded={isUploading} onClick={() => setIsUploading(!isUploading)}>
            {text.upload}
          </Button>
        )}
      </Group>
      <UploadPanel isOpen={isUploading} folder={folder} storage={storage} uploads={uploads} />
      <nav aria-label={text.folders}>
        <Group component="ul" className="plain-list" gap="xs" my="sm">
          {["", ...parentsOf(folder)].map((parent) => (
            <li key={parent}>
              <Link
                to="."
                search={{ ...address, folder: parent || undefined, search: undefined }}
                aria-current={parent === folder ? "page" : undefined}
              >
                {parent === "" ? text.root : (parent.split("/").at(-2) ?? parent)}
              </Link>
            </li>
          ))}
        </Group>
      </nav>
      <Panel
        query={parts}
        guide="files"
        isEmpty={({ pages }) => pages.every((part) => part.files.length + part.folders.length === 0)}
        empty={
          <Empty title={search === "" ? text.empty : text.noMatch} guide="files">
            <Text>{search !== "" ? text.noMatchWhy : mayUpload ? text.emptyWhy : storedText.emptyForReader}</Text>
          </Empty>
        }
      >
        {({ pages }) => (
          <ListTable caption={text.caption} columns={[text.name, text.size, text.modified, text.actions]} verticalSpacing="xs">
            {[...new Set(pages.flatMap((part) => part.folders))].map((key) => (
              <Table.Tr key={key}>
                <Table.Th scope="row" className="stored-path">
                  <Link to="." search={{ ...address, folder: key, search: undefined }}>
                    {key.slice(folder.length)}
                  </Link>
                </Table.Th>
                <Table.Td colSpan={3} />
              </Table.Tr>
            ))}
            {pages
              .flatMap((part) => part.files)
              .map((file) => (
                <Row
                  key={file.key}
                  workspace={workspace}
                  storage={storage}
                  file={file}
                  folder={folder}
                  onLink={() => setShared(file.key)}
                  onDelete={isOffered("files.delete", member) ? () => setDeleted(file.key) : undefined}
                />
              ))}
          </ListTable>
        )}
      </Panel>
      {parts.hasNextPage && (
        <Button mt="sm" size="xs" variant="default" loading={parts.isFetchingNextPage} onClick={() => void parts.fetchNextPage()}>
          {text.more}
        </Button>
      )}
      {shared !== undefined && <LinkDialog workspace={workspace} storage={storage} fileKey={shared} onClose={() => setShared(undefined)} />}
      <DeleteDialog
        path={deleted}
        why={text.deleteWhy}
        remove={(key) => call.files.delete({ workspace, query: { file_key: key, storage } })}
        onDeleted={refresh}
        onClose={() => setDeleted(undefined)}
      />
    </Page>
  );
}

interface StorageFieldProps {
  workspace: string;
  value: string;
  onChange: (storage: string) => void;
}

/** Chooses a storage by its name. A name that the settings do not list can be entered. */
function StorageField({ workspace, value, onChange }: StorageFieldProps) {
  const settings = useQuery({
    queryKey: [workspace, "public settings"],
    queryFn: ({ signal }) => call.workspaces.getPublicSettings({ workspace, signal }),
  });
  const names = settings.data?.large_file_storage?.names ?? [];
  const [typed, setTyped] = useState(value);
  return (
    <Autocomplete
      size="xs"
      label={text.storage}
      placeholder={text.storageHelp}
      data={names}
      value={typed}
      onChange={setTyped}
      onOptionSubmit={onChange}
      onBlur={() => typed !== value && onChange(typed)}
      onKeyDown={({ key }) => key === "Enter" && onChange(typed)}
    />
  );
}

interface RowProps {
  workspace: string;
  storage: string | undefined;
  file: StoredEntry;
  folder: string;
  onLink: () => void;
  onDelete: (() => void) | undefined;
}

function Row({ workspace, storage, file: { key, bytes, modified }, folder, onLink, onDelete }: RowProps) {
  const { address } = toRequest(operations, "files.download", { workspace, query: { file_key: key, storage } });
  return (
    <Table.Tr>
      <Table.Th scope="row" className="stored-path">
        {key.slice(folder.length)}
      </Table.Th>
      <Table.Td>{formatSize(bytes)}</Table.Td>
      <Table.Td>{modified && <When at={modified} />}</Table.Td>
      <Table.Td>
        <Group className="row-actions" gap="xs" wrap="nowrap">
          <Anchor href={`${basePath}${address}`} download={key.split("/").at(-1)} underline="always" aria-label={text.downloadOf(key)}>
            {text.download}
          </Anchor>
          <Button size="compact-sm" variant="default" aria-label={text.linkOf(key)} onClick={onLink}>
            {text.link}
          </Button>
          {onDelete && (
            <Button size="compact-sm" variant="default" aria-label={storedText.deleteOf(key)} onClick={onDelete}>
              {storedText.delete}
            </Button>
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

import { NativeSelect, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { exactText } from "../../../../../shared/time/time.ts";
import { call } from "../../../../data/api.ts";
import { stepText as text } from "../../../../messages/editor/step.ts";
import { RunnableField } from "../../../../parts/stored/runnable-field.tsx";
import type { ModuleValue } from "../../document/flow-document.ts";

interface CalledProps {
  workspace: string;
  value: ModuleValue;
  onChange: (value: ModuleValue) => void;
}

/** The script or the flow that a step calls, and for a script its version. */
export function Called({ workspace, value, onChange }: CalledProps) {
  const path = String(value["path"] ?? "");
  const kind = value.type === "flow" ? "flow" : "script";
  const hash = typeof value["hash"] === "string" ? value["hash"] : "";
  const versions = useQuery({
    queryKey: [workspace, "script versions", path],
    queryFn: ({ signal }) => call.scripts.history({ workspace, path, signal }),
    enabled: kind === "script" && path !== "",
  });
  const listed = (versions.data ?? []).map(({ script_hash, created_at }) => ({
    value: script_hash,
    label: text.versionAt(script_hash, created_at ? exactText(created_at) : ""),
  }));
  const others = hash && !listed.some((version) => version.value === hash) ? [{ value: hash, label: text.fixedAt(hash) }] : [];
  const { hash: _, ...withoutHash } = value;
  return (
    <Stack gap="sm">
      <RunnableField
        workspace={workspace}
        value={path === "" ? undefined : { kind, path }}
        onChange={(chosen) => chosen && onChange({ ...withoutHash, type: chosen.kind, path: chosen.path })}
      />
      {kind === "script" && path !== "" && (
        <NativeSelect
          label={text.version}
          error={versions.error?.message}
          data={[{ value: "", label: text.latest }, ...others, ...listed]}
          value={hash}
          onChange={({ target }) => onChange(target.value === "" ? (withoutHash as ModuleValue) : { ...value, hash: target.value })}
        />
      )}
      {path !== "" && (
        <Link to={kind === "flow" ? "/w/$ws/flows/$" : "/w/$ws/scripts/$"} params={{ ws: workspace, _splat: path }}>
          {text.open} {path}
        </Link>
      )}
    </Stack>
  );
}

import { checkItem } from "../../../core/sync/check/check-item.ts";
import { formatYaml } from "../../../core/sync/files/yaml.ts";
import { fieldsOf, type SyncItem } from "../../../core/sync/item.ts";

/** An item with every field of its kind, and the same item with no more than its kind needs. */
interface AbsentFields {
  complete: SyncItem;
  partial: SyncItem;
}

/** Returns whether a file without these fields is complete. */
const isValid = (item: SyncItem): boolean => checkItem(item, { name: "file.yaml", text: formatYaml(item.value) }).problems.length === 0;

/** Gives a copy of an item a new place and a new address. `queueOf`: the URL of the queue with a name. */
function copyTo(item: SyncItem, name: string, queueOf: (name: string) => string): SyncItem {
  const fields = fieldsOf(item);
  const address = name.replaceAll("_", "-");
  switch (item.kind) {
    case "user":
      return { ...item, path: `${address}@example.com`, value: { ...fields, username: name } };
    case "folder":
    case "group":
    case "resource_type":
      return { ...item, path: name };
    case "resource":
      return { ...item, path: `f/full/${name}`, value: { ...fields, resource_type: "any" } };
    case "script":
      // No build follows, because nothing here runs this language.
      return { ...item, path: `f/full/${name}`, language: "powershell", content: "Write-Output 1\n" };
    case "flow":
      return { ...item, path: `f/full/${name}`, value: { ...fields, value: { modules: [] } } };
    case "app":
      return { ...item, path: `f/full/${name}`, value: { ...fields, custom_path: address } };
    case "http_trigger":
      return { ...item, path: `f/full/${name}`, value: { ...fields, route_path: `${address}/:id` } };
    case "email_trigger":
      return { ...item, path: `f/full/${name}`, value: { ...fields, local_part: address } };
    case "sqs_trigger":
      return { ...item, path: `f/full/${name}`, value: { ...fields, queue_url: queueOf(address) } };
    default:
      return { ...item, path: `f/full/${name}` };
  }
}

/** Returns a copy of an item with every field, and the same copy without the fields that its file may lack. `prefix`: the beginning of its name. */
export function withoutOptionalFields(sent: SyncItem, prefix: string, queueOf: (name: string) => string): AbsentFields {
  const complete = copyTo(sent, `${prefix}_${sent.kind.replace("_trigger", "")}`, queueOf);
  const needed = Object.entries(fieldsOf(complete)).filter(([name]) => {
    const { [name]: _, ...others } = fieldsOf(complete);
    return !isValid({ ...complete, value: others });
  });
  return { complete, partial: { ...complete, value: Object.fromEntries(needed) } };
}

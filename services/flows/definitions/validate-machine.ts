import ajvModule from "ajv";
import { limits } from "../../../contract/limits.ts";

const NAME = /^[A-Za-z0-9_-]{1,80}$/;

/** Describes the reason for which Step Functions would reject a state machine; `undefined` if it is valid. `definition` is JSON. */
export async function validateMachine(name: string, definition: string): Promise<string | undefined> {
  if (!NAME.test(name)) return `The state machine's name ${name} is not valid in Step Functions.`;
  const bytes = Buffer.byteLength(JSON.stringify(definition));
  if (bytes > limits.machineBytes) {
    return `The flow is too large: its state machine has ${bytes} bytes, and the maximum is ${limits.machineBytes}. Move some steps into a separate flow.`;
  }
  const validate = await loadValidator();
  // The validator modifies its argument.
  const { isValid, errorsText } = validate(JSON.parse(definition));
  return isValid ? undefined : `The flow's state machine is not valid, which is a fault of the service: ${errorsText(" ").slice(0, 500)}`;
}

let validator: ReturnType<typeof importValidator> | undefined;
const loadValidator = () => (validator ??= importValidator());

type Ajv = InstanceType<typeof ajvModule.default>;

/**
 * Loads the validator only in the function `flows`, at its first use. asl-validator creates an Ajv instance for each call, and compiling its 15
 * schemas takes over 100 ms, so all instances use what the first one compiled.
 */
async function importValidator() {
  const { default: Ajv } = ajvModule;
  const compiled = new Map<string, ReturnType<Ajv["getSchema"]>>();
  const createAjv = function createAjv(options: ConstructorParameters<typeof Ajv>[0]) {
    const ajv = new Ajv(options);
    const validate = (id: string, data: unknown) => {
      const check = compiled.get(id) ?? ajv.getSchema(id);
      if (!check) throw new Error(`asl-validator has no schema ${id}.`);
      compiled.set(id, check);
      const valid = check(data);
      ajv.errors = check.errors ?? null;
      return valid;
    };
    return Object.assign(ajv, { validate });
  };
  Object.assign(ajvModule, { default: createAjv });
  return (await import("asl-validator")).default;
}

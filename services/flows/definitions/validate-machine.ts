import { limits } from "../../../contract/limits.ts";

const NAME = /^[A-Za-z0-9_-]{1,80}$/;

/** Why Step Functions would not take a state machine, as a sentence; `undefined` where nothing stands against it. */
export async function validateMachine(name: string, definition: string): Promise<string | undefined> {
  if (!NAME.test(name)) return `The state machine's name ${name} is not valid in Step Functions.`;
  const bytes = Buffer.byteLength(JSON.stringify(definition));
  if (bytes > limits.machineBytes) {
    return `The flow is too large: its state machine has ${bytes} bytes, and the maximum is ${limits.machineBytes}. Move some steps into a separate flow.`;
  }
  // Only function `flows` carries it, and only what is not refused above is read by it.
  const { default: validate } = await import("asl-validator");
  // It writes into what it looks at.
  const { isValid, errorsText } = validate(JSON.parse(definition));
  return isValid ? undefined : `The flow's state machine is not valid, which is a fault of the service: ${errorsText(" ").slice(0, 500)}`;
}

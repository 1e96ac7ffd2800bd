import { Switch } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { notifications } from "../../frame/notifications.tsx";
import { storedText } from "../../messages/objects/stored.ts";

interface EnabledSwitchProps {
  path: string;
  isEnabled: boolean;
  mayChange: boolean;
  save: (isEnabled: boolean) => Promise<unknown>;
  onChanged: () => void;
}

/** Enables or disables an object of a list. The change is saved at once. */
export function EnabledSwitch({ path, isEnabled, mayChange, save, onChanged }: EnabledSwitchProps) {
  const turn = useMutation({
    mutationFn: save,
    onSuccess: (_, isOn) => {
      notifications.show({ message: isOn ? storedText.turnedOn(path) : storedText.turnedOff(path) });
      onChanged();
    },
    onError: ({ message }) => notifications.show({ message }),
  });
  return (
    <Switch
      aria-label={storedText.enabledOf(path)}
      checked={isEnabled}
      disabled={!mayChange || turn.isPending}
      onChange={({ target }) => turn.mutate(target.checked)}
    />
  );
}

import type { MenuProps, ModalProps, MultiSelectProps, NotificationProps, SegmentedControlProps, SelectProps } from "@mantine/core";
import { frameText } from "./messages/frame.ts";

/** The list itself scrolls, because keys move in it and not in an area around it. */
const options = {
  withScrollArea: false,
  classNames: { options: "option-list" },
  comboboxProps: { transitionProps: { duration: 0 } },
} as const;

/**
 * Defaults of the console's components, by name: an import of a component would load it with every page. Locking the page's scroll would need a
 * style element, which the page's policy forbids.
 */
export const theme = {
  components: {
    Modal: {
      defaultProps: {
        lockScroll: false,
        transitionProps: { duration: 0 },
        closeButtonProps: { "aria-label": frameText.close },
      } satisfies Partial<ModalProps>,
    },
    // The placeholder is a child without a role, which a menu must not have.
    Menu: { defaultProps: { transitionProps: { duration: 0 }, withInitialFocusPlaceholder: false } satisfies Partial<MenuProps> },
    MultiSelect: {
      defaultProps: options satisfies Partial<MultiSelectProps>,
    },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": frameText.close } } satisfies Partial<NotificationProps> },
    SegmentedControl: {
      defaultProps: { classNames: { root: "segments", indicator: "segment-shown" } } satisfies Partial<SegmentedControlProps>,
    },
    Select: { defaultProps: options satisfies Partial<SelectProps> },
  },
};

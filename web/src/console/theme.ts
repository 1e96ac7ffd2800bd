import { Menu, Modal, MultiSelect, Notification, Select } from "@mantine/core";
import { frameText } from "./messages/frame.ts";

/** Defaults of the console's components. Locking the page's scroll would need a style element, which the page's policy forbids. */
export const theme = {
  components: {
    Modal: Modal.extend({
      defaultProps: { lockScroll: false, transitionProps: { duration: 0 }, closeButtonProps: { "aria-label": frameText.close } },
    }),
    Menu: Menu.extend({ defaultProps: { transitionProps: { duration: 0 } } }),
    MultiSelect: MultiSelect.extend({
      // The list itself scrolls, because keys move in it and not in an area around it.
      defaultProps: {
        withScrollArea: false,
        classNames: { options: "option-list" },
        comboboxProps: { transitionProps: { duration: 0 } },
      },
    }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { "aria-label": frameText.close } } }),
    Select: Select.extend({ defaultProps: { comboboxProps: { transitionProps: { duration: 0 } } } }),
  },
};

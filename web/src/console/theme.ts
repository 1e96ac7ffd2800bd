import { Menu, Modal, Select } from "@mantine/core";
import { frameText } from "./messages/frame.ts";

/** Defaults of the console's components. Locking the page's scroll would need a style element, which the page's policy forbids. */
export const theme = {
  components: {
    Modal: Modal.extend({
      defaultProps: { lockScroll: false, transitionProps: { duration: 0 }, closeButtonProps: { "aria-label": frameText.close } },
    }),
    Menu: Menu.extend({ defaultProps: { transitionProps: { duration: 0 } } }),
    Select: Select.extend({ defaultProps: { comboboxProps: { transitionProps: { duration: 0 } } } }),
  },
};

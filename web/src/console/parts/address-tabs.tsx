import { Link, type LinkProps } from "@tanstack/react-router";

interface AddressTabsProps<T extends string> {
  /** Names the list of tabs. */
  label: string;
  tabs: Readonly<Record<T, string>>;
  linkTo: (tab: T) => LinkProps;
}

/** Tabs that have addresses, as links. */
export function AddressTabs<T extends string>({ label, tabs, linkTo }: AddressTabsProps<T>) {
  return (
    <nav className="address-tabs" aria-label={label}>
      <ul className="plain-list">
        {(Object.entries(tabs) as [T, string][]).map(([tab, text]) => (
          <li key={tab}>
            <Link className="address-tab" {...linkTo(tab)}>
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** A text that scrolls sideways by itself, also by keyboard, and not the page. */
export function Example({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
    <section aria-label={label} tabIndex={0} className="example">
      <pre>{text}</pre>
    </section>
  );
}

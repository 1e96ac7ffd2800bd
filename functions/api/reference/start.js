// Runs in the browser, after swagger-ui-bundle.js. A separate file, because the page's policy allows no script in the page.
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

/** Returns the target of a reference within the document, for example `#/components/schemas/Job`. */
function findReferenced(document, reference) {
  const names = reference.slice("#/".length).split("/");
  return names.reduce((found, name) => found?.[name.replaceAll("~1", "/").replaceAll("~0", "~")], document);
}

/** Replaces all references in a part of the document. A reference in its own target, as in the modules of a flow, remains. */
function replaceReferences(document, part, within = []) {
  if (Array.isArray(part)) return part.map((item) => replaceReferences(document, item, within));
  if (typeof part !== "object" || part === null) return part;
  const { $ref: reference, ...others } = part;
  if (typeof reference !== "string") {
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, replaceReferences(document, value, within)]));
  }
  if (within.includes(reference)) return part;
  const target = replaceReferences(document, findReferenced(document, reference), [...within, reference]);
  return { ...target, ...replaceReferences(document, others, within) };
}

/** For each operation that a user opens, the library resolves the whole document, which takes seconds. All references are within the document. */
const resolveSubtree = async (document, path) => {
  const part = path.reduce((found, name) => found?.[name], document);
  return { spec: replaceReferences(document, part), errors: [] };
};

/** Names the parts that the library leaves unnamed for screen readers, and lets the keyboard scroll examples. */
function completeParts() {
  for (const choice of document.querySelectorAll("select:not([aria-label])")) {
    const parameter = choice.closest("[data-param-name]")?.dataset.paramName;
    choice.setAttribute("aria-label", choice.id === "servers" ? "Server" : (parameter ?? "Example"));
  }
  for (const body of document.querySelectorAll("textarea.body-param__text:not([aria-label])"))
    body.setAttribute("aria-label", "Request body");
  for (const toggle of document.querySelectorAll(".json-schema-2020-12-accordion:not([aria-label])")) {
    toggle.setAttribute("aria-label", toggle.textContent.trim() || "Schema");
  }
  for (const example of document.querySelectorAll("pre.microlight:not([tabindex])")) example.tabIndex = 0;
}
new MutationObserver(completeParts).observe(document.querySelector("#reference"), { childList: true, subtree: true });

/** The heading of an operation is a button, which must not contain a link. The address names what is open all the same. */
const withoutLink =
  (React) =>
  ({ text }) =>
    React.createElement("span", null, text);

SwaggerUIBundle({
  // The path of this file's address may begin with a stage.
  url: new URL("../api/openapi.json", document.currentScript.src).href,
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "none",
  displayOperationId: true,
  defaultModelsExpandDepth: -1,
  filter: true,
  tagsSorter: "alpha",
  validatorUrl: null,
  plugins: [({ React }) => ({ fn: { resolveSubtree }, wrapComponents: { DeepLink: () => withoutLink(React) } })],
  // The document names one origin; this page may have been opened under another name of it, such as localhost.
  requestInterceptor: (request) => ({ ...request, url: request.url.replace(/^https?:\/\/[^/]+/, location.origin) }),
});

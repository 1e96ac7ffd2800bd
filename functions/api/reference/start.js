// Runs in the browser, behind swagger-ui-bundle.js. A file of its own: the page's policy allows no script in the page.
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

SwaggerUIBundle({
  url: "/api/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "none",
  displayOperationId: true,
  defaultModelsExpandDepth: -1,
  filter: true,
  tagsSorter: "alpha",
  validatorUrl: null,
  // The document names one origin; this page may have been opened under another name of it, such as localhost.
  requestInterceptor: (request) => ({ ...request, url: request.url.replace(/^https?:\/\/[^/]+/, location.origin) }),
});

/** The version of this service, which is that of package.json. `GET /api/version` answers with that of the API family instead, because its clients compare it. */
export const SERVICE_VERSION = "0.1.0";

/** The version of this service, which is that of package.json. `GET /api/version` answers with that of the API family instead, because its clients compare it. */
export const SERVICE_VERSION = "0.1.0";

/** The version of the API family, whose clients parse the number, and use newer formats from 1.585 on (api.md §0). */
export const API_VERSION = "CE v1.700.0";

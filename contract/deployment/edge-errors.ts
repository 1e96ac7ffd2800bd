/**
 * Seconds for which CloudFront stores an error of the API, by status: none. It would otherwise give an error to every caller of the same path for 10 s, whatever
 * their query, headers and cookies are. These are all statuses that a distribution can set. CloudFront stores 412 and 415 only for a `max-age`, which the
 * cache policy bounds to zero.
 */
export const edgeErrorTtlS: Readonly<Record<number, number>> = {
  400: 0,
  403: 0,
  404: 0,
  405: 0,
  414: 0,
  416: 0,
  500: 0,
  501: 0,
  502: 0,
  503: 0,
  504: 0,
};

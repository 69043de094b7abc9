const YEAR_SEC = 31_536_000;

/** What somebody has chosen in this browser. Scripts of the page read it, and it is no secret. */
export const preferenceCookie = (name: string, value: string): string =>
  `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${YEAR_SEC}; SameSite=Lax`;

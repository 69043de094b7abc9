/** Elysia looks for the path behind a host of at least four letters, unless its apps are told that hosts may be shorter. */
export const anyHost = { standardHostname: false } as const;

/** The Host that a caller names: it is compared, shown and made into addresses, so that it must be one. */

/** A name or an address with a port: no userinfo, path, blank or second Host (which comes joined by a comma). */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;
const HOST_MAX = 262;

export const isHost = (text: string): boolean => text.length <= HOST_MAX && HOST.test(text);

/** What calls and pages alike must know of the applications of the marketplace. */

/** An MCP tool of the client's conversations, or a page that it shows. */
export const APPLICATION_TYPES = ['conversation-tool', 'webview'] as const;
export type ApplicationType = (typeof APPLICATION_TYPES)[number];

/** What it is known by, and a part of its file's name. */
const APPLICATION_NAME = /^[a-z0-9][a-z0-9_-]{1,63}$/;
/** As of semver.org: three numbers, and what follows them. */
const APPLICATION_VERSION =
  /^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){2}(?:-[0-9a-z-]+(?:\.[0-9a-z-]+)*)?(?:\+[0-9a-z-]+(?:\.[0-9a-z-]+)*)?$/i;
const APPLICATION_VERSION_MAX = 64;
export const DISPLAY_NAME_MAX = 100;
export const APPLICATION_DESC_MAX = 2_000;
/** Higher ones come first. */
const APPLICATION_RANK_MAX = 1_000_000_000;

export const isApplicationName = (text: string): boolean => APPLICATION_NAME.test(text);
export const isApplicationVersion = (text: string): boolean =>
  text.length <= APPLICATION_VERSION_MAX && APPLICATION_VERSION.test(text);

/** What a rank that was typed says; 0 for what is no number. */
export function readRank(given: string | number): number {
  const rank = typeof given === 'number' ? Math.trunc(given) : Number.parseInt(given, 10);
  return Number.isFinite(rank)
    ? Math.min(Math.max(rank, -APPLICATION_RANK_MAX), APPLICATION_RANK_MAX) || 0
    : 0;
}

/** The columns by which its list can be ordered. */
export const APPLICATION_ORDERS = ['id', 'name', 'display', 'type', 'rank'] as const;

/** What calls and pages alike must know of recommended prompts. */

/** Of the client; none of them means all. */
export const PLATFORMS = ['win32', 'darwin'] as const;
export type Platform = (typeof PLATFORMS)[number];

/** The servers of the client's own tools: searching the web, and maps. Others may be named too. */
export const PROMPT_TOOLS = ['tollgate-search', 'tollgate-map'] as const;

export const FACET_TYPE = 'demo-file';

export const PROMPT_TITLE_MAX = 100;
export const PROMPT_INSTRUCTION_MAX = 10_000;
const PROMPT_PATH_MAX = 300;
export const PROMPT_TAG_MAX = 50;
/** Tools, demo paths and tags, each, of one prompt. */
export const PROMPT_LIST_MAX = 20;
/** Higher ones come first. */
export const PROMPT_SORT_MAX = 1_000_000_000;

/** Steps between slashes, none of which leads up or out of the client's folder. */
export const isDemoPath = (path: string): boolean =>
  path.length <= PROMPT_PATH_MAX &&
  !path.includes('\\') &&
  path
    .replace(/^\/|\/$/g, '')
    .split('/')
    .every((step) => step.trim() !== '' && step !== '.' && step !== '..');

/** What may be done to many prompts at once. */
export const PROMPT_ACTIONS = ['release', 'withdraw', 'delete'] as const;
export type PromptAction = (typeof PROMPT_ACTIONS)[number];

/** The columns by which its list can be ordered. */
export const PROMPT_ORDERS = ['id', 'title', 'version', 'sort', 'release'] as const;

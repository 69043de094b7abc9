/** What calls and pages alike must know of the site's options. */

/** Where they are drawn, in the order of the tabs. */
export const panels = ['operation', 'visual', 'ratelimit', 'models', 'system', 'other'] as const;
export type Panel = (typeof panels)[number];

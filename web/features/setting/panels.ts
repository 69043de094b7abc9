/** The panels of the site's options, in their order. */
export const panels = ['operation', 'visual', 'ratelimit', 'models', 'system', 'other'] as const;
export type Panel = (typeof panels)[number];

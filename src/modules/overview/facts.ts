/** What the overview and its page alike must know. */

/** What a newcomer does first, in order; those of channels are for who may keep them. */
export const STEPS = ['channel', 'test', 'price', 'balance', 'token', 'call'] as const;
export type StepName = (typeof STEPS)[number];

/** Days of one's own usage that are shown. */
export const OWN_DAYS = 30;

/** Prices that depend on how much is used. Apart from their formula, which pages that edit prices do not load. */

/** The most tiers that a price has. */
export const TIERS_MAX = 20;

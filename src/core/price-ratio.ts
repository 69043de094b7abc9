/** A ratio of 1 is this price of a million tokens, in US dollars. */
export const USD_PER_RATIO = 2;

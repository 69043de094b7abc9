/** The views of prices below the operation panel. */
export const priceViews = ['json', 'visual', 'unpriced'] as const;
export type PriceViewName = (typeof priceViews)[number];

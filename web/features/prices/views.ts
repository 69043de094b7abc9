/** The views of prices below the operation panel. */
export const priceViews = ['json', 'visual', 'unpriced'] as const;
export type PriceViewName = (typeof priceViews)[number];

/** The channel of whose models alone the view of those without a price tells. */
export interface OneChannel {
  name: string;
  models: readonly string[];
}

/** The views of prices below the operation panel. */
export const priceViews = ['json', 'visual', 'unpriced'] as const;
export type PriceViewName = (typeof priceViews)[number];

/** Fields of the address that only choose which prices are shown. */
export const SHOWING = ['p', 'size', 'model', 'show'] as const;

/** Which models the visual editor shows. */
export const priceFilters = ['all', 'enabled', 'own', 'changed', 'unpriced'] as const;
export type PriceFilter = (typeof priceFilters)[number];

/** The channel of whose models alone the view of those without a price tells. */
export interface OneChannel {
  name: string;
  models: readonly string[];
}

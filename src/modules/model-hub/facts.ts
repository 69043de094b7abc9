/** What calls and pages alike must know of the catalogue of models. */

export const NAME_MAX = 200;
export const DESC_MAX = 5_000;

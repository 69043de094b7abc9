/** What calls and pages alike must know of the catalogue of models. */

export const DESC_MAX = 5_000;
/** Of a model's picture. */
export const ICON_BYTES_MAX = 64 * 1024;

/** What a price counts. */
export const QUOTA_TYPE = { tokens: 0, call: 1 } as const;
export type QuotaType = (typeof QUOTA_TYPE)[keyof typeof QUOTA_TYPE];

/** What a model takes and makes: image, text, video, music, speech, audio. */
export const MODEL_TYPES = [
  'iti',
  'tti',
  'ttv',
  'ftv',
  'ltv',
  'mtv',
  'stv',
  'atv',
  'vtt',
  'detaa',
  'etv',
  'ptv',
  'vtv',
  'detect',
] as const;

/** The columns by which the list of prices can be ordered. */
export const HUB_ORDERS = [
  'model',
  'vendor',
  'input',
  'output',
  'cache-read',
  'cache-write',
  'context',
] as const;

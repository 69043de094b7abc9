/** The panels of the settings page on which the site's options are drawn, in the order of their tabs. */
export const optionPanels = [
  'operation',
  'visual',
  'ratelimit',
  'models',
  'system',
  'other',
  'request_quota',
  'aff_quota',
] as const;
export type OptionPanel = (typeof optionPanels)[number];

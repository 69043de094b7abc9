/** What a row of the usage log is about: its column `type`. */
export const LOG_TYPE = {
  topUp: 1,
  consumption: 2,
  management: 3,
  system: 4,
  activity: 5,
  /** Calls that were refused or failed, at no cost. */
  refused: 6,
  /** Tests of channels: shown to whoever asks for them. */
  test: 7,
} as const;

/** What calls and pages alike must know of channels. */

export const CHANNEL_STATUS = { enabled: 1, disabled: 2, autoDisabled: 3 } as const;

/** Which of a channel's keys is asked next: any, or each in its turn. */
export const KEY_MODES = ['random', 'polling'] as const;
export type KeyMode = (typeof KEY_MODES)[number];

/** How long the pieces are into which a channel's day is cut. */
export const QUARTER_SEC = 900;

export const PRIORITY_MIN = -999;

/** An address as it is stored. `{model}` may stand in a full address, where the upstream's model goes. */
export const cleanAddress = (text: string): string => text.trim().replace(/\/+$/, '');

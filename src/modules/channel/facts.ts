/** What calls and pages alike must know of channels. */

export const CHANNEL_STATUS = { enabled: 1, disabled: 2, autoDisabled: 3 } as const;

/** Which of a channel's keys is asked next: any, or each in its turn. */
export const KEY_MODES = ['random', 'polling'] as const;
export type KeyMode = (typeof KEY_MODES)[number];

/** How long the pieces are into which a channel's day is cut. */
export const QUARTER_SEC = 900;

/** How the last test of a channel ended; `none` when there was none, or only one that said nothing of it. */
export const CHANNEL_TESTS = ['passed', 'failed', 'none'] as const;
export type ChannelTest = (typeof CHANNEL_TESTS)[number];

export const PRIORITY_MIN = -999;
/** Characters. */
export const CHANNEL_NAME_MAX = 200;
/** What an upstream takes, as a part of the model's price here: at most so many times as much. */
export const COST_RATIO_MAX = 1_000;

/** An address as it is stored. `{model}` may stand in a full address, where the upstream's model goes. */
export const cleanAddress = (text: string): string => text.trim().replace(/\/+$/, '');

/** The columns by which its list can be ordered. */
export const CHANNEL_ORDERS = ['id', 'name', 'type', 'status', 'test', 'used', 'priority', 'weight'] as const;

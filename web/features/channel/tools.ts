import type { Channel } from './channel.ts';
import type { ChannelActions } from './use-channel-actions.ts';
import type { ManyActions } from './use-many-actions.ts';

/** What the cells of the list can do. */
export interface ChannelTools {
  one: ChannelActions;
  many: ManyActions;
  /** Whether channels that were switched off by themselves are tested again. */
  probing: boolean;
  /** Opens the list of a channel's models, to be tested. */
  testModels: (channel: Channel) => void;
  /** Whether tags stand over their channels. */
  tagView: boolean;
}

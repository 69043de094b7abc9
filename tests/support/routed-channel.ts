/** Channels as the relay sees them, without a database. */
import type { RoutedChannel } from '../../src/modules/channel/model.ts';

export const channel = (id: number, weight = 0, priority = 0, keys = 1): RoutedChannel => ({
  id,
  type: 1,
  name: `c${id}`,
  status: 1,
  baseUrl: '',
  privateAllowed: false,
  organization: '',
  other: '',
  keys: Array.from({ length: keys }, (_, i) => ({ id: id * 100 + i, value: 'k' })),
  models: ['m'],
  groups: ['default'],
  modelMapping: {},
  statusCodeMapping: {},
  setting: {
    proxy: null,
    forceFormat: false,
    thinkingToContent: false,
    systemPrompt: '',
    systemPromptOverride: false,
    deadlines: {},
    headers: {},
  },
  paramOverride: null,
  priority,
  weight,
  autoBan: true,
  maxInputTokens: 0,
  testModel: '',
  tag: '',
});

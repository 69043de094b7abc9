import { readGoogleFault } from '../google.ts';
import type { Provider } from '../provider.ts';
import { palmWire } from './wire.ts';

/** Switched off by its vendor in 2024; kept for relays that still speak it. */
export const palm: Provider = {
  type: 11,
  slug: 'google palm',
  label: 'PaLM2',
  baseUrl: 'https://generativelanguage.googleapis.com',
  speaks: {},
  wire: palmWire,
  plainOnly: true,
  streamUsage: false,
  form: { keyHint: 'AIza…', baseUrl: 'optional' },
  models: ['PaLM-2'],
  prepare: ({ channel }) => ({
    method: 'POST',
    url: `${channel.baseUrl}/v1beta2/models/chat-bison-001:generateMessage`,
    headers: { 'content-type': 'application/json', 'x-goog-api-key': channel.key },
  }),
  readFault: readGoogleFault,
};

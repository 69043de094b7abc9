import { expect, it } from 'bun:test';
import { filmSent } from './openai-videos.ts';

const site = { name: '', address: '' };
const sent = (baseUrl: string, model: string) =>
  filmSent(
    { model, seconds: '8' },
    { model, channel: { id: 1, baseUrl, key: '', organization: '', other: '', site } },
  ).duration;

it.each([
  ['https://gateway.example', 'kling-v2-6', 8],
  ['https://gateway.example', 'sora-2', undefined],
  ['https://gateway.example', 'openai/sora-2-pro', undefined],
  ['https://openrouter.ai/api', 'openai/sora-2-pro', 8],
  ['https://openrouter.ai/api', 'google/veo-3.1', 8],
  ['https://api.openai.com', 'video-9', undefined],
  ['https://x.openai.azure.com/openai', 'films', undefined],
  ['https://x.services.ai.azure.com/openai', 'films', undefined],
  // A gateway of somebody's on a machine of Azure's.
  ['https://x.eastus.cloudapp.azure.com', 'kling-v2-6', 8],
  ['https://notopenrouter.ai', 'sora-2', undefined],
])('a duration goes up to %s for %s: %p', (baseUrl, model, duration) => {
  expect(sent(baseUrl, model)).toBe(duration);
});

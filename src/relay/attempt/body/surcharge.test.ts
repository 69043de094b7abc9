import { expect, it } from 'bun:test';
import type { JsonObject } from '../../../core/json.ts';
import { withoutSurcharges } from './surcharge.ts';

const chat = { operation: 'chat' } as const;

it.each([
  [{ service_tier: 'priority' }, ['service_tier']],
  [{ service_tier: { any: 1 } }, ['service_tier']],
  [
    { speed: 'fast', models: ['a', 'b'], route: 'fallback', plugins: [{ id: 'web' }] },
    ['speed', 'models', 'route', 'plugins'],
  ],
  [{ provider: { order: ['dear-host'], allow_fallbacks: false } }, ['provider']],
])('what would be served dearer than it is priced is left out: %j', (more, names) => {
  const { body, dropped } = withoutSurcharges({ model: 'm', own_field: 1, ...more }, chat);
  expect(dropped).toEqual(names);
  expect(body).toEqual({ model: 'm', own_field: 1 });
});

it.each(['auto', 'default', 'flex', 'standard_only', null])(
  'the usual service stays as it was asked for: %p',
  (service_tier) => {
    const asked = { model: 'm', service_tier, speed: 'standard' };
    expect(withoutSurcharges(asked, chat)).toEqual({ body: asked, dropped: [] });
  },
);

it('a container whose price nobody knows becomes a usual one', () => {
  const own = { type: 'function', name: 'f', parameters: { container: { memory_limit: '128g' } } };
  const sized = (memory_limit: string): JsonObject[] => [
    { type: 'code_interpreter', container: { type: 'auto', memory_limit } },
    { type: 'shell', environment: { type: 'container_auto', memory_limit } },
    own,
  ];
  const asked = { model: 'm', tools: sized('128g') };
  expect(withoutSurcharges(asked, chat)).toEqual({
    body: {
      model: 'm',
      tools: [
        { type: 'code_interpreter', container: { type: 'auto' } },
        { type: 'shell', environment: { type: 'container_auto' } },
        own,
      ],
    },
    dropped: ['memory_limit'],
  });
  const known = { model: 'm', tools: sized('64g') };
  expect(withoutSurcharges(known, chat)).toEqual({ body: known, dropped: [] });
});

it('a picture takes no more steps, no more pixels and no searches than are priced', () => {
  const dear = { resolution: '2K', steps: 50, tools: [{ type: 'web_search' }] };
  const asked = { model: 'm', prompt: 'a cat', ...dear, num_inference_steps: 9, seed: 1 };
  expect(withoutSurcharges(asked, { operation: 'image-edits' })).toEqual({
    body: { model: 'm', prompt: 'a cat', seed: 1 },
    dropped: ['resolution', 'steps', 'tools', 'num_inference_steps'],
  });
  const usual = { model: 'm', resolution: '1K', steps: null };
  expect(withoutSurcharges(usual, { operation: 'images' }).body).toBe(usual);
});

it.each(['embeddings', 'rerank', 'moderations', 'images', 'speech', 'transcriptions'] as const)(
  'no other call goes to another model or a dearer host, and a voice reads as fast as it was asked to: %s',
  (operation) => {
    const dear = { models: ['a'], provider: { order: ['dear-host'] }, service_tier: 'priority' };
    expect(withoutSurcharges({ model: 'm', ...dear, speed: 1.5 }, { operation })).toEqual({
      body: { model: 'm', speed: 1.5 },
      dropped: Object.keys(dear),
    });
  },
);

it('a call of a tool has words of its own', () => {
  const asked = { models: ['a'] };
  expect(withoutSurcharges(asked, { operation: 'tool' }).body).toBe(asked);
});

import { expect, it } from 'bun:test';
import { withoutDearer } from './dearer.ts';

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
  const { body, dropped } = withoutDearer({ model: 'm', own_field: 1, ...more }, chat);
  expect(dropped).toEqual(names);
  expect(body).toEqual({ model: 'm', own_field: 1 });
});

it.each(['auto', 'default', 'flex', 'standard_only', null])(
  'the usual service stays as it was asked for: %p',
  (service_tier) => {
    const asked = { model: 'm', service_tier, speed: 'standard' };
    expect(withoutDearer(asked, chat)).toEqual({ body: asked, dropped: [] });
  },
);

it('calls beside the chat have no such fields', () => {
  const asked = { model: 'm', models: ['a'] };
  expect(withoutDearer(asked, { operation: 'images' }).body).toBe(asked);
});

import { describe, expect, it } from 'bun:test';
import { isRewritten } from '../../core/url-path.ts';
import { providers } from '../../providers/registry.ts';
import { destinationOf } from './destination.ts';
import { callsOf, madeAddresses } from './made-addresses.ts';
import { openingMore } from './openings.ts';

const BASE = 'https://shared.example/gw/house';
const led = (type: number, over: object = {}) => ({
  type,
  base_url: BASE,
  other: '',
  openai_organization: '',
  setting: {},
  param_override: {},
  models: [],
  model_mapping: {},
  ...over,
});

/** Whatever somebody might write to be led elsewhere. */
const HOSTILE = [
  '../../ATTACKER',
  'ATTACKER',
  'v1attackers',
  'v1beta/x',
  'a/b',
  'https://attacker.example',
  'attacker.example#',
  'v1?x=',
];

describe.each(providers.map((provider) => [provider.label, provider] as const))(
  'the calls of %s',
  (_, provider) => {
    it('begin with the address of the channel, or where it says that its keys go', async () => {
      const made = (await madeAddresses(provider, { baseUrl: BASE, other: '' })) ?? [];
      const said = provider.keyGoesTo?.({ baseUrl: BASE, key: 'id|secret|other', other: '' }) ?? [BASE];
      const origin = (url: string) => new URL(url).origin.replace(/^ws/, 'http');
      expect(made.filter((url) => !said.some((place) => origin(url) === origin(place)))).toEqual([]);
    });

    it.each(HOSTILE)('go nowhere else by the field `other` without the key again: %s', async (other) => {
      const key = 'id|secret|other';
      const before = await madeAddresses(provider, { baseUrl: BASE, other: '' });
      const after = await madeAddresses(provider, { baseUrl: BASE, other });
      // Of what makes no call without a true key, every word may lead elsewhere.
      if (provider.isVersion) expect(provider.isVersion(other)).toBe(false);
      const isMoved = after === null ? !provider.keyGoesTo : String(after) !== String(before);
      const [from, to] = [
        await destinationOf(led(provider.type), [key]),
        await destinationOf(led(provider.type, { other }), [key]),
      ];
      if (isMoved) expect([...to.addresses]).not.toEqual([...from.addresses]);
      // And none of them steps out of the channel's own address.
      for (const url of after ?? []) if (!isRewritten(url)) expect(new URL(url).host).toBe('shared.example');
    });

    it('say nothing else by the field `other` without the key again', async () => {
      const other = 'library-1';
      const site = { name: '', address: '' };
      const channel = { id: 0, baseUrl: BASE, key: 'id|secret|other', organization: '', other, site };
      const calls = callsOf(provider, channel, () => Promise.reject(new Error('no')));
      // Some want a true key, or a body of their own wire.
      const said = await Promise.allSettled(
        calls.flatMap((call) => [
          (async () => ({ ...(await provider.prepare(call)), url: '' }))(),
          (async () => provider.adjustBody?.({}, call))(),
        ]),
      );
      const isSaid = JSON.stringify(said).includes(other);
      expect(openingMore(led(provider.type), led(provider.type, { other })) !== null).toBe(isSaid);
    });
  },
);

it('needs the key again for every word of what neither makes a call nor says where its keys go', async () => {
  const silent = {
    ...providers[0],
    prepare: () => Promise.reject(new Error('no')),
  } as (typeof providers)[number];
  expect(await madeAddresses(silent, { baseUrl: BASE, other: 'x' })).toBeNull();
});

it('takes of an address what stands before the model', async () => {
  const gemini = providers.find(({ slug }) => slug === 'google gemini');
  if (!gemini) throw new Error('no gemini');
  const made = await madeAddresses(gemini, { baseUrl: BASE, other: 'v1' });
  expect(new Set(made)).toEqual(new Set([`${BASE}/v1/models/`, `${BASE}/v1beta/models`]));
});

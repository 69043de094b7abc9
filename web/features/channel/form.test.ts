import { describe, expect, it } from 'bun:test';
import { translatorFor } from '@/lib/translator-for.ts';
import type { Channel, ChannelType } from './channel.ts';
import { offReason, responseLevel } from './channel.ts';
import {
  bodyOf,
  type ChannelValues,
  channelErrors,
  emptyChannel,
  endsWithV1,
  isSame,
  keyCount,
  savedValues,
  valuesOf,
  warnsOfV1,
  withoutV1,
} from './form.ts';

const t = translatorFor('en');

const openai: ChannelType = {
  type: 1,
  label: 'OpenAI',
  base_url: 'https://api.openai.com',
  models: ['gpt-4o'],
  lists_models: true,
  tells_balance: true,
  form: { keyHint: 'sk-…', baseUrl: 'optional' },
};
const custom: ChannelType = {
  ...openai,
  type: 8,
  base_url: '',
  form: { keyHint: '', baseUrl: 'required', wholeAddress: true },
};

/** 2026-05-01 00:00:00 UTC */
const NOW = 1_777_593_600;
const good: ChannelValues = { ...emptyChannel, name: 'main', key: 'sk-1', models: ['gpt-4o'] };
const errors = (over: Partial<ChannelValues>, type = openai, saved?: ChannelValues) =>
  Object.entries(channelErrors({ ...good, ...over }, { type, saved, timeZone: 'UTC', now: NOW }, t)).filter(
    ([, text]) => text,
  );

describe('the channel form', () => {
  it('takes a name, a key and one model', () => {
    expect(errors({})).toEqual([]);
  });

  it('keeps the cost price in a field of its own, and sends it as a key of the setting', () => {
    const valuesOfSetting = (setting: string) => valuesOf({ ...rowOf(), setting }, 'UTC');
    const stored = valuesOfSetting('{"proxy":"http://p.example","cost_ratio":0.6}');
    expect([stored.costRatio, stored.setting]).toEqual(['0.6', '{\n  "proxy": "http://p.example"\n}']);
    const sent = (over: Partial<ChannelValues>) =>
      JSON.parse(String(bodyOf({ ...stored, ...over }, 'UTC').setting));
    expect(sent({})).toEqual({ proxy: 'http://p.example', cost_ratio: 0.6 });
    expect(sent({ costRatio: '0' })).toEqual({ proxy: 'http://p.example', cost_ratio: 0 });
    expect(sent({ costRatio: ' ' })).toEqual({ proxy: 'http://p.example' });
    expect(sent({ setting: '', costRatio: '1.25' })).toEqual({ cost_ratio: 1.25 });
    expect(bodyOf({ ...stored, setting: '', costRatio: '' }, 'UTC').setting).toBe('');
    // A setting without one stays to the byte.
    expect(bodyOf(valuesOfSetting('{"a":1}'), 'UTC').setting).toBe('{"a":1}');
    for (const costRatio of ['-1', 'much', '1001', '1,5'])
      expect(errors({ costRatio })).toEqual([['costRatio', 'It must be a number from 0 to 1000']]);
    expect(errors({ costRatio: '0.65' })).toEqual([]);
  });

  it('says what is missing in the specification’s words', () => {
    const missing = Object.fromEntries(errors({ name: ' ', key: ' ', models: [] }));
    expect(missing).toEqual({
      name: 'Please fill channel name and key',
      key: 'Please fill channel name and key',
      models: 'Select at least one model',
    });
  });

  it.each([
    ['priority', '-999', true],
    ['priority', '-1000', false],
    ['priority', '1.5', false],
    ['priority', '', false],
    ['weight', '0', true],
    ['weight', '-1', false],
    ['maxInput', '1e3', false],
  ] as const)('judges %s %p as %p', (field, text, isGood) => {
    expect(errors({ [field]: text }).map(([name]) => name)).toEqual(isGood ? [] : [field]);
  });

  it.each([
    ['{"a":"b"}', undefined],
    ['', undefined],
    ['{"a":', /^Not a valid JSON string/],
    ['["a"]', /must be a JSON object/],
  ] as const)('judges the mapping %p', (mapping, expected) => {
    const [found] = errors({ mapping });
    if (expected) expect(found).toEqual(['mapping', expect.stringMatching(expected)]);
    else expect(found).toBeUndefined();
  });

  it('asks for an address where the type has none, and for one of the web', () => {
    expect(errors({}, custom).map(([name]) => name)).toEqual(['baseUrl']);
    expect(errors({ baseUrl: 'ftp://a.example' }).map(([name]) => name)).toEqual(['baseUrl']);
    expect(errors({ baseUrl: 'https://a.example' }, custom)).toEqual([]);
  });

  it('keeps the key of a saved channel unless its address changes', () => {
    const saved = savedValues({ ...good, baseUrl: 'https://a.example/' });
    expect(errors({ key: '', baseUrl: 'https://a.example/' }, openai, saved)).toEqual([]);
    expect(errors({ key: '', baseUrl: 'https://b.example' }, openai, saved).map(([name]) => name)).toEqual([
      'key',
    ]);
  });

  it('wants the key again for another type, and not for the type’s own address written out', () => {
    const saved = savedValues(good);
    expect(errors({ key: '', type: '14' }, openai, saved).map(([name]) => name)).toEqual(['key']);
    expect(errors({ key: '', baseUrl: 'https://api.openai.com/' }, openai, saved)).toEqual([]);
  });

  it('wants the key again for what the server has refused without it, and for nothing else', () => {
    const saved = savedValues(good);
    const values = { ...saved, setting: '{"shared_context":true}' };
    const of = (over: Partial<ChannelValues>) =>
      channelErrors(
        { ...values, ...over },
        { type: openai, saved, refused: { values, text: 'again' }, timeZone: 'UTC', now: NOW },
        t,
      ).key;
    expect([of({}), of({ key: 'sk-2' }), of({ setting: '' })]).toEqual(['again', undefined, undefined]);
  });

  it.each([
    ['', true],
    ['2026-05-02 10:00:00', true],
    ['2026-04-30 23:59:59', false],
    ['soon', false],
  ])('judges the expiry %p as %p', (expiry, isGood) => {
    expect(errors({ expiry }).map(([name]) => name)).toEqual(isGood ? [] : ['expiry']);
    // One that has passed may stay.
    expect(errors({ expiry, key: '' }, openai, savedValues({ ...good, expiry }))).toEqual([]);
  });

  it('counts keys by lines, and documents by whole ones', () => {
    expect(keyCount('a\n\n b \n', false)).toBe(2);
    expect(keyCount('{\n "type": "service_account"\n}', true)).toBe(1);
    expect(keyCount('{"a":1}\n{"a":2}', true)).toBe(2);
  });

  it('notices an address that ends with /v1', () => {
    expect(
      ['https://a.example/v1', 'https://a.example/v1/', 'https://a.example/v1x'].map(endsWithV1),
    ).toEqual([true, true, false]);
    expect(withoutV1('https://a.example/v1/')).toBe('https://a.example');
    const values = { ...good, baseUrl: 'https://a.example/v1' };
    expect([openai, custom, undefined].map((type) => warnsOfV1(values, type))).toEqual([true, false, true]);
  });
});

describe('the body of a channel', () => {
  it('holds no key when none was typed, and the address without its trailing slash', () => {
    const body = bodyOf({ ...good, key: ' ', baseUrl: ' https://a.example// ' }, 'UTC');
    expect(body).not.toHaveProperty('key');
    expect(body).toMatchObject({
      base_url: 'https://a.example',
      models: 'gpt-4o',
      group: 'default',
      auto_ban: 1,
    });
  });

  it('is what the row said when nothing was changed', () => {
    const row = { ...rowOf(), base_url: 'https://a.example', model_mapping: '{\n  "a": "b"\n}' };
    const { key: _key, ...rest } = bodyOf({ ...valuesOf(row, 'Asia/Shanghai'), key: 'x' }, 'Asia/Shanghai');
    expect(row).toMatchObject(rest);
    expect(isSame(valuesOf(row, 'UTC'), { ...valuesOf(row, 'UTC'), baseUrl: 'https://a.example/' })).toBe(
      true,
    );
    expect(isSame(valuesOf(row, 'UTC'), { ...valuesOf(row, 'UTC'), key: 'new' })).toBe(false);
  });
});

describe('a channel’s row', () => {
  it('ranks the time of its last answer', () => {
    expect([0, 1, 1_000, 1_001, 3_000, 3_001, 5_000, 5_001].map(responseLevel)).toEqual([
      0, 4, 4, 3, 3, 2, 2, 1,
    ]);
  });

  it('tells why it was switched off, and nothing when nobody wrote it down', () => {
    const other_info = '{"status_reason":"429 five times","status_time":1700000000}';
    const at = 1_700_000_000;
    expect(offReason({ other_info })).toEqual({ reason: '429 five times', at, nextTest: at + 300 });
    expect(offReason(rowOf())).toEqual({ reason: '', at: 0, nextTest: 0 });
  });

  it('tells when it is tested next: after its last test, the longer the more there were', () => {
    const info = { status_time: 1_700_000_000, probes: 2, probed_at: 1_700_002_000 };
    expect(offReason({ other_info: JSON.stringify(info) }).nextTest).toBe(1_700_002_000 + 3_600);
  });
});

function rowOf(): Channel {
  return {
    id: 1,
    type: 1,
    name: 'main',
    channel_name: 'main',
    key: '',
    key_hint: 'sk-u…def',
    key_count: 1,
    keys_disabled: 0,
    status: 1,
    openai_organization: 'org-1',
    max_input_tokens: 0,
    base_url: '',
    other: '',
    models: 'gpt-4o,gpt-4o-mini',
    model_count: 2,
    group: 'default,vip',
    model_mapping: '',
    status_code_mapping: '',
    setting: '',
    param_override: '',
    private_allowed: false,
    override_ignored: [],
    auto_ban: 1,
    test_model: '',
    priority: 3,
    weight: 2,
    tag: 'eu',
    other_info: '',
    response_time: 0,
    test_time: 0,
    balance: 0,
    balance_updated_time: 0,
    used_quota: 0,
    multi_key_mode: 'polling',
    expired_time: 1_800_000_000,
    created_time: 1_700_000_000,
  };
}

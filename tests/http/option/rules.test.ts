/** The rules and constants of the option forms, each named as the specification words it, on the calls. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type OptionKey, optionKeys, specOf } from '../../../src/options/registry.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
let root: Client;
beforeAll(async () => {
  api = await openApi('postgres');
  root = await api.root();
  root.headers['accept-language'] = 'en';
});
afterAll(() => api.close());

const put = (key: OptionKey, value: string) => root.put('/api/option/', { key, value });
const textOf = async (key: OptionKey): Promise<string> =>
  (await root.get('/api/option/')).data.find((row: { key: string }) => row.key === key).value;

/** Nothing is stored of what is refused. */
async function refuses(key: OptionKey, value: string, reason: string): Promise<void> {
  const before = await textOf(key);
  const answer = await put(key, value);
  expect(answer).toMatchObject({ status: 200, success: false, code: 'OPTION_INVALID' });
  expect(answer.data).toEqual({ key });
  expect(answer.message).toContain(specOf(key).label.en);
  expect(answer.message).toContain(reason);
  expect(await textOf(key)).toBe(before);
}

async function takes(key: OptionKey, value: string): Promise<void> {
  expect(await put(key, value)).toMatchObject({ status: 200, success: true });
  expect(await textOf(key)).toBe(value);
}

describe('JSON text fields must be valid JSON', () => {
  it.each([
    'GroupRatio',
    'UserUsableGroups',
    'ModelPrice',
    'ModelTieredPrice',
    'ModelRatio',
    'CacheRatio',
    'CompletionRatio',
    'TopupGroupRatio',
    'Chats',
    'gemini.safety_settings',
    'gemini.version_settings',
    'claude.model_headers_settings',
    'claude.default_max_tokens',
  ] as const)('%s', async (key) => {
    for (const text of ['{', '{"a": 1,}', "{'a': 1}", ''])
      await refuses(key, text, 'not a valid JSON string');
    await takes(key, await textOf(key));
  });
});

it('no JSON option says a thing twice', async () => {
  await refuses('GroupRatio', '{"default":1,"vip":2,"v\\u0069p":1}', 'the key vip stands there twice');
  await refuses('ModelRatio', '{"a":1,"a":2}', 'the key a stands there twice');
  await refuses('ModelTieredPrice', '{"a":[],"a":[]}', '');
  await refuses(
    'Chats',
    '[{"a":"https://a.example","a":"https://b.example"}]',
    'the key a stands there twice',
  );
});

it('links lead to the web or to an app that is known', async () => {
  const chats = [
    { 'Cherry Studio': 'cherrystudio://providers/api-keys?v=1&data={key}' },
    { OpenCat: 'opencat://team/join?domain={address}&token={key}' },
    { AMA: 'ama://set-api-key?server={address}&key={key}' },
    { 'Lobe Chat': 'https://chat-preview.lobehub.com/?settings={key}' },
  ];
  await takes('Chats', JSON.stringify(chats));
  await takes('ChatLink', '{address}/chat');
  for (const scheme of ['javascript', 'data', 'file', 'vbscript', 'ms-msdt']) {
    await refuses('Chats', JSON.stringify([...chats, { x: `${scheme}:x` }]), `${scheme}:`);
    await refuses('ChatLink', `${scheme}:x`, `${scheme}:`);
    await refuses('TopUpLink', `${scheme}:x`, 'http');
    await refuses('general_setting.docs_link', `${scheme}:x`, 'http');
    for (const key of ['Logo', 'HomeLink', 'DownloadLink'] as const)
      await refuses(key, `${scheme}:x`, 'http');
  }
});

describe('numeric inputs have a minimum of 0', () => {
  it.each([
    'QuotaForNewUser',
    'QuotaForInviter',
    'QuotaForInvitee',
    'QuotaRemindThreshold',
    'PreConsumedQuota',
    'RetryTimes',
    'ChannelDisableThreshold',
    'StreamCacheQueueLength',
    'FuelPackQuota',
    'ModelRequestRateLimitDurationMinutes',
  ] as const)('%s', async (key) => {
    await refuses(key, '-1', '0');
    await refuses(key, 'many', 'number');
    await takes(key, '0');
  });
});

it('the price of a dollar, and what groups pay for top-ups, are above 0: nobody is sold quota for nothing', async () => {
  for (const text of ['0', '0.0', '-1']) await refuses('Price', text, '0');
  await takes('Price', '0.01');
  await refuses('TopupGroupRatio', '{"default": 1, "vip": 0}', 'vip');
  await takes('TopupGroupRatio', '{"default": 1, "vip": 0.5}');
});

it('rate-limit success count minimum 1, and request count 0 means unlimited, which one place shows as -1', async () => {
  await refuses('ModelRequestRateLimitSuccessCount', '0', '1');
  await takes('ModelRequestRateLimitSuccessCount', '1');
  await refuses('ModelRequestRateLimitCount', '-2', '-1');
  await takes('ModelRequestRateLimitCount', '-1');
  await takes('ModelRequestRateLimitCount', '0');
});

it('Claude budget percentage must be between 0.1 and 1', async () => {
  const key = 'claude.thinking_adapter_budget_tokens_percentage';
  await refuses(key, '0.09', '0.1');
  await refuses(key, '1.01', '1');
  await takes(key, '0.1');
  await takes(key, '1');
});

it('fuel pack interval days and quota are required', async () => {
  await refuses('FuelPackLimit', '', 'whole number');
  await refuses('FuelPackQuota', '', 'whole number');
  await refuses('FuelPackLimit', '0', '1');
});

describe('the constants', () => {
  beforeAll(() => api.deps.options.reset(optionKeys));

  const status = async () => (await root.get('/api/status')).data;

  it('500000 quota units equal 1 dollar', async () => {
    expect(await textOf('QuotaPerUnit')).toBe('500000');
    expect((await status()).quota_per_unit).toBe(500_000);
  });

  it('rate limit defaults: request count 0, success count 1000, duration 1 minute', async () => {
    const keys = [
      'ModelRequestRateLimitCount',
      'ModelRequestRateLimitSuccessCount',
      'ModelRequestRateLimitDurationMinutes',
    ] as const;
    expect(await Promise.all(keys.map(textOf))).toEqual(['0', '1000', '1']);
  });

  it('Claude thinking budget percentage default 0.8; default max tokens 8192, 4096 for some models', async () => {
    const keys = ['claude.thinking_adapter_budget_tokens_percentage', 'claude.default_max_tokens'] as const;
    const [share = '', caps = ''] = await Promise.all(keys.map(textOf));
    expect(share).toBe('0.8');
    expect(JSON.parse(caps)).toMatchObject({ default: 8192, 'claude-3-haiku-20240307': 4096 });
  });

  it('data export default granularity hour, interval 5 minutes', async () => {
    expect(await textOf('DataExportDefaultTime')).toBe('hour');
    expect(await textOf('DataExportInterval')).toBe('5');
    expect((await status()).data_export_default_time).toBe('hour');
  });

  it('the minimum top-up amount comes from server status', async () => {
    await takes('MinTopUp', '3');
    expect((await status()).min_topup).toBe(3);
  });

  it('token price per 1M tokens equals ratio times 2, and completion ratio is output over input price', async () => {
    await takes('ModelRatio', '{"m": 1.25}');
    await takes('CompletionRatio', '{"m": 4}');
    const entries: { name: string; ratio: number; completionRatio: number }[] = (
      await root.get('/api/model_hub/admin/')
    ).data;
    // gpt-4o's list prices are 2.50 and 10 US dollars a million tokens.
    const factors = (name: string) => {
      const entry = entries.find((each) => each.name === name);
      return [entry?.ratio, entry?.completionRatio];
    };
    expect(factors('m')).toEqual([1.25, 4]);
    expect(factors('m')).toEqual(factors('gpt-4o'));
  });
});

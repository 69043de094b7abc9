/** Secrets whose address is another option: a stored one is used only at the place that it was given for. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { isOptionKey, type OptionKey } from '../../../src/options/registry.ts';
import { type Answer, type Client, openApi, type TestApi } from '../../support/api.ts';

type Texts = Partial<Record<OptionKey, string | null>>;

let api: TestApi;
let root: Client;
beforeAll(async () => {
  api = await openApi('postgres');
  root = await api.root();
});
afterAll(() => api.close());

/** Sets options in one call. */
const put = (texts: Texts): Promise<Answer> => {
  const [first, ...also] = Object.entries(texts).map(([key, value]) => ({ key, value }));
  return root.put('/api/option/', { ...first, ...(also.length > 0 && { also }) });
};

interface Case {
  secret: OptionKey;
  /** The address as it is first. */
  at: Texts;
  /** Which name the same place. */
  same: Texts[];
  /** Which lead elsewhere. */
  elsewhere: Texts[];
}

const addressed = (secret: OptionKey, address: OptionKey, usual: readonly string[] = []): Case => ({
  secret,
  at: { [address]: 'https://one.example/' },
  same: ['https://ONE.example:443/gateway', 'https://one.example/a?b=c'].map((text) => ({ [address]: text })),
  elsewhere: ['https://other.example/', 'http://one.example/', 'https://one.example:8443/', ...usual].map(
    (text) => ({
      [address]: text,
    }),
  ),
});

const CASES: Case[] = [
  addressed('EpayKey', 'PayAddress'),
  // Empty means the usual address.
  addressed('GitHubClientSecret', 'GitHubServerAddress', ['']),
  addressed('LinuxDOClientSecret', 'LinuxDOServerAddress', ['']),
  addressed('WeChatServerToken', 'WeChatServerAddress'),
  addressed('oidc.client_secret', 'oidc.token_endpoint'),
  addressed('TurnstileSecretKey', 'TurnstileVerifyURL'),
  addressed('AlertWebhookSecret', 'AlertWebhookUrl'),
  addressed('sms.secret_key', 'sms.url'),
  {
    secret: 'GitHubClientSecret',
    at: { GitHubServerAddress: '' },
    same: [{ GitHubServerAddress: 'https://github.com/' }],
    elsewhere: [{ GitHubServerAddress: 'https://github.example' }],
  },
  {
    secret: 'sms.secret_key',
    at: { 'sms.provider': 'aliyun', 'sms.url': '' },
    same: [{ 'sms.url': 'https://dysmsapi.aliyuncs.com/' }],
    elsewhere: [
      { 'sms.provider': 'tencent' },
      { 'sms.url': 'https://sms.example/{secret}', 'sms.provider': 'http' },
    ],
  },
  {
    secret: 'SMTPToken',
    at: { SMTPServer: 'smtp.one.example', SMTPPort: '587', SMTPSSLEnabled: 'false' },
    same: [{ SMTPServer: 'SMTP.one.example' }, { SMTPPort: ' 587' }],
    elsewhere: [
      { SMTPServer: 'smtp.other.example' },
      { SMTPPort: '25' },
      { SMTPPort: '465' },
      { SMTPSSLEnabled: 'true' },
    ],
  },
];

const textOf = (key: OptionKey) => api.deps.options.text(key);
const textsOf = (at: Texts) => Object.keys(at).filter(isOptionKey).map(textOf);
const labelsOf = async (keys: readonly string[]): Promise<string[]> => {
  const { data } = await root.get('/api/option/fields');
  return keys.map((key) => data.find((field: { key: string }) => field.key === key).label);
};

describe('a secret belongs to the place that it was given for', () => {
  it.each(CASES.map((one) => [one.secret, JSON.stringify(one.at), one] as const))(
    '%s, given for %s',
    async (secret, _at, { at, same, elsewhere }) => {
      const begin = async () => {
        await api.deps.options.reset([secret]);
        // Whoever fills in the secret first, or with the address, has given it for that.
        expect((await put({ ...at, [secret]: 'of-the-first' })).success).toBe(true);
      };
      await begin();
      for (const texts of same) expect((await put(texts)).success).toBe(true);
      expect(textOf(secret)).toBe('of-the-first');

      for (const texts of elsewhere) {
        await begin();
        const before = textsOf(at);
        for (const empty of [{}, { [secret]: '' }]) {
          const refused = await put({ ...texts, ...empty });
          expect([refused.success, refused.code]).toEqual([false, 'OPTION_SECRET_WITH_ADDRESS']);
          expect(refused.data.secret).toBe(secret);
          for (const label of await labelsOf([refused.data.key, secret]))
            expect(refused.message).toContain(label);
          expect(Object.keys(texts)).toContain(refused.data.key);
        }
        expect(textsOf(at)).toEqual(before);
        expect(textOf(secret)).toBe('of-the-first');
        // Given again, or taken away, with the address.
        expect((await put({ ...texts, [secret]: 'of-the-other' })).success).toBe(true);
        expect(textOf(secret)).toBe('of-the-other');
        await begin();
        expect((await put({ ...texts, [secret]: null })).success).toBe(true);
        expect(textOf(secret)).toBe('');
      }
    },
  );

  it.each([[''], [null]])('and goes when it has none any more: %j', async (address) => {
    await put({ PayAddress: 'https://one.example', EpayId: '1001', EpayKey: 'of-the-first' });
    const isOpen = async () => (await api.guest().get('/api/status')).data.enable_online_topup;
    expect(await isOpen()).toBe(true);
    expect((await put({ PayAddress: address })).success).toBe(true);
    expect(textOf('EpayKey')).toBe('');
    const [{ id }] = (await root.get('/api/admin_action/?page_size=1')).data.items;
    const { text } = await root.get(`/api/admin_action/${id}`);
    expect(text).toContain('EpayKey');
    expect(text).not.toContain('of-the-first');
    await put({ PayAddress: 'https://other.example' });
    expect(await isOpen()).toBe(false);
  });

  it('and no part of a change is made when another is refused', async () => {
    await put({ WeChatServerAddress: 'https://one.example', WeChatServerToken: 'of-the-first' });
    const refused = await put({ WeChatServerToken: 'of-the-other', WeChatServerAddress: 'nowhere' });
    expect(refused.code).toBe('OPTION_INVALID');
    expect(textOf('WeChatServerToken')).toBe('of-the-first');
    expect((await put({ SystemName: 'X', SMTPPort: 'none' })).code).toBe('OPTION_INVALID');
    expect(textOf('SystemName')).not.toBe('X');
  });
});

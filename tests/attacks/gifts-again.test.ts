/**
 * Who has shown once who he is, and got what is given for free, comes again as somebody new: after he, an administrator or
 * root has cancelled his account, or after he gave his mailbox or third party's account up. A gift is given once to each
 * proof of who somebody is, whichever accounts have carried it.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { audit } from '../../src/billing/audit.ts';
import { secretText } from '../../src/core/ids.ts';
import { DAY_SEC } from '../../src/core/time.ts';
import { issueCode } from '../../src/modules/auth/codes.ts';
import { fieldsOf } from '../../src/modules/option/fields.ts';
import type { OptionKey } from '../../src/options/registry.ts';
import { type Answer, type Client, openApi, PASSWORD, type TestApi } from '../support/api.ts';
import { callEngines } from '../support/database.ts';
import { type IdentityServer, optionsFor, startIdentityServer } from '../support/identity-server.ts';
import { startWeChatServer, WECHAT_TOKEN, type WeChatServer } from '../support/wechat-server.ts';

const HERE = 'http://localhost';
const GIFT = 100;
const PACK = 45;
const DAYS = 7;
const SETTINGS: Partial<Record<OptionKey, string>> = {
  QuotaForNewUser: String(GIFT),
  QuotaForInviter: '30',
  QuotaForInvitee: '7',
  'aff_quota.reward_trigger': 'register',
  'aff_quota.daily_limit': '0',
  FuelPackEnabled: 'true',
  FuelPackQuota: String(PACK),
  FuelPackLimit: String(DAYS),
  'fuel_pack.verified_only': 'false',
  'fuel_pack.accounts_per_network': '0',
  PhoneLoginEnabled: 'true',
  PhoneRegisterEnabled: 'true',
  'sms.provider': 'log',
  WeChatAuthEnabled: 'true',
  WeChatServerToken: WECHAT_TOKEN,
  WeChatAccountQRCodeImageURL: 'https://site.example/qr.svg',
};

let identityServer: IdentityServer;
let wechat: WeChatServer;
beforeAll(async () => {
  identityServer = await startIdentityServer('github', [HERE]);
  wechat = startWeChatServer();
});
afterAll(async () => {
  await identityServer.close();
  await wechat.close();
});

let count = 0;

describe.each(callEngines)('gifts to one who comes again, on %s', (engine) => {
  let api: TestApi;
  let root: Client;
  beforeAll(async () => {
    api = await openApi(engine, { PRIVATE_EGRESS: '127.0.0.0/8,::1/128' });
    root = await api.root();
    await api.deps.options.set({
      ...SETTINGS,
      ...optionsFor('github', identityServer),
      WeChatServerAddress: wechat.base,
    });
  });
  afterAll(() => api.close());
  /** What a test has changed. */
  afterEach(() =>
    api.deps.options.set({ 'fuel_pack.verified_only': 'false', 'aff_quota.reward_trigger': 'register' }),
  );

  /** Everyone comes from a network of his own each time, so that no limit answers. */
  const stranger = (): Client => {
    count++;
    return api.guest({ ip: `${1 + (count % 100)}.${count >> 8}.${count & 255}.9` });
  };
  const newMailbox = () => `again${++count}@example.com`;
  /** A code as its message brings it to who asked for it in the client's browser. */
  const codeFor = (client: Client, channel: 'mail' | 'phone', subject: string) => {
    const flowId = client.cookies.get('visit') ?? secretText(256);
    client.cookies.set('visit', flowId);
    return issueCode(api.deps, { channel, subject, flowId });
  };
  const selfOf = async (client: Client) => (await client.get('/api/user/self')).data;
  const quotaOf = async (client: Client): Promise<number> => (await selfOf(client)).quota;
  const codeOf = async (client: Client): Promise<string> => (await client.get('/api/user/aff')).data;
  const inviter = async (): Promise<Client> => api.as(await api.createUser());
  const isDone = (answer: Answer) => expect(answer).toMatchObject({ success: true });
  const signedIn = (client: Client, answer: Answer): Client => {
    isDone(answer);
    client.userId = answer.data.id;
    return client;
  };

  async function byPassword(more: Record<string, string> = {}, client = stranger()): Promise<Client> {
    const username = `again${++count}`;
    const body = { username, password: PASSWORD, password2: PASSWORD, ...more };
    isDone(await client.post('/api/user/register', body));
    return client.login(username);
  }
  async function byMail(email: string, aff_code = ''): Promise<Client> {
    const client = stranger();
    const verification_code = await codeFor(client, 'mail', email);
    return byPassword({ email, verification_code, aff_code }, client);
  }
  async function byPhone(phone: string, aff = ''): Promise<Client> {
    const client = stranger();
    const body = { phone_number: phone, code: await codeFor(client, 'phone', phone), aff };
    return signedIn(client, await client.post('/api/user/login/mobile', body));
  }
  async function byWeChat(openId: string, aff = ''): Promise<Client> {
    const client = stranger();
    const code = `code${++count}`;
    wechat.codes.set(code, openId);
    const page = await client.get('/api/oauth/wechat');
    const state = /name="state" value="([\w-]+)"/.exec(page.text)?.[1] ?? '';
    return signedIn(
      client,
      await client.get(`/api/oauth/wechat?${new URLSearchParams({ code, state, aff })}`),
    );
  }
  async function byGitHub(id: string, aff = '', client = stranger()): Promise<Client> {
    identityServer.accounts.set(id, { id: Number(id), login: `octo${id}` });
    const started = await client.post('/api/oauth/github/start', { aff });
    const { searchParams } = await identityServer.authorize(started.data.address, id);
    const answer = await client.get(`/api/oauth/github?${searchParams}`);
    return client.userId === null ? signedIn(client, answer) : client;
  }

  /** Each with a proof that nobody has shown yet. */
  const ways: Record<
    string,
    [newProof: () => string, come: (proof: string, aff?: string) => Promise<Client>]
  > = {
    mailbox: [newMailbox, byMail],
    phone: [() => `139${String(++count).padStart(8, '0')}`, byPhone],
    WeChat: [() => `oAbc-${++count}_xyz`, byWeChat],
    GitHub: [() => String(70_000 + ++count), byGitHub],
  };
  const wayOf = (name: string) => {
    const [newProof, come] = ways[name] ?? [newMailbox, byMail];
    const proof = newProof();
    return (aff?: string) => come(proof, aff);
  };
  const leave = async (client: Client) => isDone(await client.call('DELETE', '/api/user/self'));
  const bindMail = async (client: Client, email: string) =>
    isDone(
      await client.post('/api/oauth/email/bind', {
        email,
        code: await codeFor(client, 'mail', email),
        password: PASSWORD,
      }),
    );
  const claim = (client: Client) => client.get('/api/user/fuel_pack');
  const status = async (client: Client) => (await client.get('/api/user/fuel_pack/status')).data;
  /** As if all had happened so long ago. */
  const age = (seconds: number) =>
    api.deps.db.script(
      `update fuel_packs set claimed_at = claimed_at - ${seconds}; update gift_marks set given_at = given_at - ${seconds}`,
    );

  describe.each(Object.keys(ways))('by %s', (name) => {
    it('the quota for new users is given once, whoever has cancelled his account', async () => {
      const come = wayOf(name);
      const first = await come();
      expect(await quotaOf(first)).toBe(GIFT);
      await leave(first);
      const second = await come();
      expect(second.userId).not.toBe(first.userId);
      expect(await quotaOf(second)).toBe(0);
      isDone(await root.post('/api/user/manage', { id: second.userId, action: 'delete' }));
      const third = await come();
      expect(await quotaOf(third)).toBe(0);
      isDone(await root.del(`/api/user/${third.userId}`));
      expect(await quotaOf(await come())).toBe(0);
    });

    it('an invitation is paid once, to the guest and to whoever invites', async () => {
      const come = wayOf(name);
      const [one, other] = [await inviter(), await inviter()];
      const guest = await come(await codeOf(one));
      expect([await quotaOf(guest), (await selfOf(one)).aff_quota]).toEqual([GIFT + 7, 30]);
      await leave(guest);
      const again = await come(await codeOf(other));
      expect(await quotaOf(again)).toBe(0);
      expect(await selfOf(other)).toMatchObject({ aff_quota: 0, aff_count: 1 });
      expect((await other.get('/api/user/aff/invited')).data.items).toMatchObject([{ state: 'unpaid' }]);
    });

    it('the fuel pack is claimed once in its interval, and told so before it is claimed', async () => {
      const come = wayOf(name);
      const first = await come();
      isDone(await claim(first));
      const { next_at } = await status(first);
      await leave(first);
      const second = await come();
      expect(await status(second)).toMatchObject({ available: false, next_at });
      expect(await claim(second)).toMatchObject({ code: 'FUEL_PACK_CLAIMED', data: { next_at } });
      expect(await quotaOf(second)).toBe(0);
      await age(DAYS * DAY_SEC);
      expect((await status(second)).available).toBe(true);
      isDone(await claim(second));
      expect(await quotaOf(second)).toBe(PACK);
      await leave(second);
      expect((await claim(await come())).code).toBe('FUEL_PACK_CLAIMED');
    });

    it('what was given before anything was noted counts as well', async () => {
      const come = wayOf(name);
      const one = await inviter();
      const first = await come(await codeOf(one));
      isDone(await claim(first));
      await api.deps.db.query('delete from gift_marks');
      await leave(first);
      const second = await come(await codeOf(one));
      expect((await claim(second)).code).toBe('FUEL_PACK_CLAIMED');
      expect(await quotaOf(second)).toBe(0);
      expect((await selfOf(one)).aff_quota).toBe(30);
    });

    it('who comes and goes ten times at once gets one', async () => {
      const come = wayOf(name);
      const ids: number[] = [];
      const comeAndGo = async () => {
        // Another one may have taken the code, made the account or cancelled it just then.
        const client = await come().catch(() => null);
        if (client === null) return;
        ids.push(client.userId ?? 0);
        await claim(client);
        await client.call('DELETE', '/api/user/self');
      };
      await comeAndGo();
      for (let round = 0; round < 3; round++) await Promise.all([1, 2, 3].map(comeAndGo));
      expect(new Set(ids).size).toBeGreaterThan(1);
      const given = await api.deps.db.query(
        `select kind, sum(delta)::bigint as sum from ledger where user_id = any($1::bigint[]) group by kind order by kind`,
        [`{${ids.join(',')}}`],
      );
      expect(given).toEqual([
        { kind: 4, sum: GIFT },
        { kind: 7, sum: PACK },
      ]);
    });
  });

  it('a mailbox that was bound later carries what the account had got', async () => {
    const email = newMailbox();
    const one = await inviter();
    const first = await byPassword({ aff_code: await codeOf(one) });
    isDone(await claim(first));
    await bindMail(first, email);
    await leave(first);
    const second = await byMail(email, await codeOf(one));
    expect((await claim(second)).code).toBe('FUEL_PACK_CLAIMED');
    expect(await quotaOf(second)).toBe(0);
    expect((await selfOf(one)).aff_quota).toBe(30);
  });

  it('a mailbox that was given up for another is no new one', async () => {
    await api.deps.options.set({ 'fuel_pack.verified_only': 'true' });
    const [email, other] = [newMailbox(), newMailbox()];
    const first = await byPassword();
    await bindMail(first, email);
    isDone(await claim(first));
    await bindMail(first, other);
    const second = await byMail(email);
    expect(await quotaOf(second)).toBe(0);
    expect((await claim(second)).code).toBe('FUEL_PACK_CLAIMED');
    // Nor is the one that took its place, once the account has gone.
    await leave(first);
    const third = await byMail(other);
    expect((await claim(third)).code).toBe('FUEL_PACK_CLAIMED');
    expect(await quotaOf(third)).toBe(0);
  });

  it('a mailbox pays the invitations of those who wait for one only once', async () => {
    await api.deps.options.set({ 'aff_quota.reward_trigger': 'verified' });
    const [email, other] = [newMailbox(), newMailbox()];
    const one = await inviter();
    const guests = [
      await byPassword({ aff_code: await codeOf(one) }),
      await byPassword({ aff_code: await codeOf(one) }),
    ] as const;
    await bindMail(guests[0], email);
    expect([await quotaOf(guests[0]), (await selfOf(one)).aff_quota]).toEqual([GIFT + 7, 30]);
    await bindMail(guests[0], other);
    await bindMail(guests[1], email);
    expect([await quotaOf(guests[1]), (await selfOf(one)).aff_quota]).toEqual([GIFT, 30]);
  });

  it('a third party’s account that was unbound is no new one', async () => {
    const id = String(70_000 + ++count);
    const first = await byPassword();
    isDone(await claim(first));
    await byGitHub(id, '', first);
    expect((await selfOf(first)).github_id).toBe(id);
    isDone(await first.call('DELETE', '/api/oauth/github'));
    const second = await byGitHub(id);
    expect(second.userId).not.toBe(first.userId);
    expect(await quotaOf(second)).toBe(0);
    expect((await claim(second)).code).toBe('FUEL_PACK_CLAIMED');
  });

  it('two proofs of one account are both worth it no more', async () => {
    const id = String(70_000 + ++count);
    const email = newMailbox();
    identityServer.accounts.set(id, { id: Number(id), login: 'octo' });
    const first = await byMail(email);
    await byGitHub(id, '', first);
    await leave(first);
    expect(await quotaOf(await byMail(email))).toBe(0);
    expect(await quotaOf(await byGitHub(id))).toBe(0);
    // Somebody else, and somebody by another name, gets his.
    expect(await quotaOf(await byMail(newMailbox()))).toBe(GIFT);
  });

  describe.each([
    ['tags', (n: number) => [`tags${n}+one@example.com`, `tags${n}+two@example.com`, `tags${n}@example.com`]],
    ['the plain address first', (n: number) => [`plain${n}@example.com`, `plain${n}+one@example.com`]],
    ['dots of Gmail', (n: number) => [`do.ts${n}@gmail.com`, `d.ots${n}@gmail.com`, `dots${n}+a@gmail.com`]],
    ['both names of Gmail', (n: number) => [`names${n}@googlemail.com`, `na.mes${n}@gmail.com`]],
  ] as const)('one mailbox by %s', (_name, addressesOf) => {
    it('has each gift once, by accounts that stand beside each other and by those that come again', async () => {
      await api.deps.options.set({ 'fuel_pack.verified_only': 'true' });
      const [first = '', ...others] = addressesOf(++count);
      const one = await inviter();
      const giver = await byMail(first, await codeOf(one));
      expect(await quotaOf(giver)).toBe(GIFT + 7);
      isDone(await claim(giver));
      const paid = (await selfOf(one)).aff_quota;
      for (const email of others) {
        const again = await byMail(email, await codeOf(one));
        expect(await quotaOf(again)).toBe(0);
        expect((await claim(again)).code).toBe('FUEL_PACK_CLAIMED');
        await leave(again);
      }
      expect((await selfOf(one)).aff_quota).toBe(paid);
      await leave(giver);
      for (const email of others) expect(await quotaOf(await byMail(email))).toBe(0);
    });
  });

  it('dots of other providers, and what is before a tag, tell mailboxes apart', async () => {
    const n = ++count;
    for (const email of [`a.b${n}@example.com`, `ab${n}@example.com`, `a${n}b+x@example.com`])
      expect(await quotaOf(await byMail(email))).toBe(GIFT);
  });

  it('a mark that stands by the address as it was written still counts', async () => {
    const email = `old${++count}+tag@example.com`;
    const { secrets, db } = api.deps;
    await db.query(
      'insert into gift_marks (proof, gift, given_at) values ($1, 1, extract(epoch from now()))',
      [secrets.lookup(`gift:mail:${email}`)],
    );
    expect(await quotaOf(await byMail(email))).toBe(0);
  });

  it('the settings say beside each gift what it comes to while no limit of the day is set', () => {
    const gifts = ['QuotaForNewUser', 'QuotaForInviter', 'QuotaForInvitee', 'FuelPackQuota'];
    for (const [locale, said] of [
      ['zh', '“每日赠送总额度上限”为 0 时总量不限'],
      ['en', 'While “Quota given away a day” is 0'],
    ] as const) {
      const fields = fieldsOf(api.deps.options, undefined, locale).filter(({ key }) => gifts.includes(key));
      expect(fields).toHaveLength(gifts.length);
      for (const { help } of fields) expect(help).toContain(said);
    }
  });

  it('what is kept says of nobody who he was', async () => {
    const [email, phone, openId] = [
      newMailbox(),
      `139${String(++count).padStart(8, '0')}`,
      `oAbc-${++count}`,
    ];
    for (const client of [await byMail(email), await byPhone(phone), await byWeChat(openId)]) {
      await leave(client);
    }
    const rows = JSON.stringify(await api.deps.db.query('select * from gift_marks'));
    expect(rows).not.toBe('[]');
    for (const proof of [email, email.split('@')[0] ?? '', phone, openId]) expect(rows).not.toContain(proof);
    expect(rows).not.toContain('user_id');
  });

  it('leave every unit accounted for', async () => {
    expect((await audit(api.deps.db)).findings).toEqual([]);
  });
});

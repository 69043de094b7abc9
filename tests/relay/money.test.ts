import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { BALANCE, CALL_COST, openTestRelay, type TestRelay } from '../support/relay.ts';

let relay: TestRelay;
beforeEach(async () => {
  relay = await openTestRelay();
});
afterEach(() => relay.close());

/** What a call with this cap holds: "hi" in bytes, halved, and the frames of message and reply. */
const PROMPT_BOUND = Math.ceil('hi'.length / 2) + 4 + 3;
const CAP = 20;
const HELD = PROMPT_BOUND + CAP;

const setBalance = (quota: number) =>
  relay.api.deps.db.query('update users set quota = $2 where id = $1', [relay.user.id, quota]);

const codeOf = async (answer: Response) => (await answer.json()).error?.code ?? 'ok';

describe('200 calls at once on a balance of ten reservations', () => {
  async function storm(keys: readonly string[]) {
    await setBalance(10 * HELD);
    relay.upstream.always = 'held';
    let lowest = Number.POSITIVE_INFINITY;
    let isOver = false;
    const sampling = (async () => {
      while (!isOver) {
        const { quota, reserved } = await relay.account();
        lowest = Math.min(lowest, quota, reserved);
        expect(quota + reserved).toBeLessThanOrEqual(10 * HELD);
        await Bun.sleep(5);
      }
    })();
    let decided = 0;
    const answers = Array.from({ length: 200 }, async (_, i) => {
      const answer = await relay.chat({ max_tokens: CAP }, { key: keys[i % keys.length] });
      decided++;
      return [answer.status, await codeOf(answer)];
    });
    await relay.upstream.until((upstream) => upstream.heldNow === 10, 60_000);
    while (decided < 190) await Bun.sleep(5);
    expect(relay.upstream.heldNow).toBe(10);
    expect((await relay.account()).quota).toBe(0);
    relay.upstream.release();
    const results = await Promise.all(answers);
    isOver = true;
    await sampling;
    expect(results.filter(([status]) => status === 200)).toHaveLength(10);
    expect(
      results.filter(([status, code]) => status === 403 && code === 'insufficient_user_quota'),
    ).toHaveLength(190);
    expect(lowest).toBeGreaterThanOrEqual(0);
    expect(relay.upstream.chats).toHaveLength(10);
    const rows = await relay.settled(10);
    expect(rows).toHaveLength(10);
    const account = await relay.account();
    // The mock reports 17 + 20 tokens where 30 were held: the rest comes from what the first ones gave back, or is lost.
    expect(account.quota + rows.reduce((sum, row) => sum + row.quota, 0)).toBe(10 * HELD);
    expect(account.reserved).toBe(0);
  }

  it('lets ten through, refuses the rest, and settles them all', async () => {
    await storm([relay.key]);
  });

  it('does the same over three tokens of one account', async () => {
    await storm([relay.key, await relay.addToken(), await relay.addToken()]);
  });
});

describe('a reservation', () => {
  it('covers a capped call exactly: one unit less is refused, and nothing goes upstream', async () => {
    await setBalance(HELD - 1);
    const refused = await relay.chat({ max_tokens: CAP });
    expect([refused.status, await codeOf(refused)]).toEqual([403, 'insufficient_user_quota']);
    expect(relay.upstream.chats).toHaveLength(0);
    expect(await relay.logs()).toHaveLength(0);
    await setBalance(HELD);
    expect((await relay.chat({ max_tokens: CAP })).status).toBe(200);
  });

  it('counts each choice', async () => {
    await setBalance(PROMPT_BOUND + 3 * CAP - 1);
    expect((await relay.chat({ max_tokens: CAP, n: 3 })).status).toBe(403);
    await setBalance(PROMPT_BOUND + 3 * CAP);
    expect((await relay.chat({ max_tokens: CAP, n: 3 })).status).toBe(200);
  });

  it('of a stream without a cap falls back to its prompt and PreConsumedQuota, and to a refusal below it', async () => {
    await relay.set({ PreConsumedQuota: 500 });
    await setBalance(PROMPT_BOUND + 500);
    expect((await relay.chat({ stream: true })).status).toBe(200);
    await relay.settled(1);
    await setBalance(PROMPT_BOUND + 499);
    expect((await relay.chat({ stream: true })).status).toBe(403);
  });

  it('of a plain call without a cap pays for the longest answer, and then none is sent', async () => {
    await setBalance(PROMPT_BOUND + 32_768);
    expect((await relay.chat()).status).toBe(200);
    const { body } = relay.upstream.chats[0] ?? {};
    expect(body).not.toHaveProperty('max_tokens');
    expect(body).not.toHaveProperty('max_completion_tokens');
  });

  it('of a plain call without a cap is what the account has, and the answer is limited to that', async () => {
    await setBalance(PROMPT_BOUND + 32_767);
    expect((await relay.chat()).status).toBe(200);
    expect(relay.upstream.chats[0]?.body.max_tokens).toBe(8192);
    await setBalance(PROMPT_BOUND + 2 * 2047);
    expect((await relay.chat({ n: 2 })).status).toBe(200);
    expect(relay.upstream.chats[1]?.body.max_tokens).toBe(512);
    await setBalance(PROMPT_BOUND + 511);
    expect((await relay.chat()).status).toBe(403);
    await relay.set({ ModelRatio: { 'gpt-5': 1 }, CompletionRatio: { 'gpt-5': 1 } });
    await relay.addChannel({ models: 'gpt-5' });
    await setBalance(PROMPT_BOUND + 600);
    expect((await relay.chat({ model: 'gpt-5' })).status).toBe(200);
    expect(relay.upstream.chats[2]?.body.max_completion_tokens).toBe(512);
  });

  it('keeps plain calls without a cap from costing more than there is, however many come at once', async () => {
    await setBalance(20_000);
    relay.upstream.always = 'held';
    const asking = Array.from({ length: 60 }, () => relay.chat().then((answer) => answer.status));
    const upstreamHas = () => relay.upstream.chats.length;
    let seen = -1;
    while (seen !== upstreamHas() || seen === 0) {
      seen = upstreamHas();
      await Bun.sleep(300);
    }
    const worth = relay.upstream.chats.reduce(
      (sum, { body }) => sum + PROMPT_BOUND + Number(body.max_tokens),
      0,
    );
    expect(worth).toBeLessThanOrEqual(20_000);
    relay.upstream.always = 'ok';
    relay.upstream.release();
    const statuses = await Promise.all(asking);
    expect(statuses.filter((status) => status === 200)).toHaveLength(relay.upstream.chats.length);
    expect(new Set(statuses)).toEqual(new Set([200, 403]));
  });

  it('takes what an upstream reports beyond it from the rest of the balance, and never more', async () => {
    relay.upstream.settings.words = 1000;
    await setBalance(HELD + 100);
    expect((await relay.chat({ max_tokens: CAP })).status).toBe(200);
    const [row] = await relay.settled(1);
    expect(row?.completion_tokens).toBe(1000);
    const account = await relay.account();
    expect([account.quota, account.reserved]).toEqual([0, 0]);
  });

  it('is not needed for a model that costs nothing', async () => {
    await relay.set({ ModelRatio: { 'gpt-4o': 0 } });
    await setBalance(0);
    expect((await relay.chat()).status).toBe(200);
    expect((await relay.settled(1))[0]?.quota).toBe(0);
  });
});

describe('a refusal', () => {
  it("names the token's own limit where that is what is used up", async () => {
    const key = await relay.addToken({ unlimited_quota: false, remain_quota: HELD - 1 });
    const answer = await relay.chat({ max_tokens: CAP }, { key });
    expect([answer.status, await codeOf(answer)]).toEqual([403, 'token_quota_exhausted']);
  });

  it('says of a limit that is left but too small what would be held, and of one that is used up no more', async () => {
    await relay.set({ Price: 7.3, QuotaPerUnit: 500_000, DisplayInCurrencyEnabled: true });
    const message = async (key?: string): Promise<string> => {
      const { error } = await (await relay.chat({ max_tokens: CAP }, key ? { key } : {})).json();
      return error.message.replace(/ \(request id: .*\)$/, '');
    };
    const said = async (remain_quota: number) =>
      message(await relay.addToken({ unlimited_quota: false, remain_quota }));
    expect(await said(HELD - 1)).toBe(
      'The quota of this API key is not enough for the request: $0.000054 is left, and $0.000056 would be held',
    );
    expect(await said(0)).toBe('The quota of this API key is exhausted');
    await relay.setBalance(HELD - 1);
    expect(await message()).toBe(
      'The quota of this account is not enough for the request: $0.000056 would be held',
    );
    await relay.setBalance(0);
    expect(await message()).toBe('The quota of this account is not enough for the request');
  });

  it('tells in the log that a call was refused, and charges nothing', async () => {
    const key = await relay.addToken({ unlimited_quota: false, remain_quota: HELD - 1, name: 'small' });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => relay.chat({ max_tokens: CAP, stream: true }, { key })),
    );
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    await relay.setBalance(1);
    expect((await relay.chat({ max_tokens: CAP })).status).toBe(403);
    await relay.api.deps.relay.failures.idle();
    const rows = await relay.api.deps.db.query<{ request_id: string }>(
      `select type, quota, token_name, model_name, is_stream, content, other->>'error' as error, request_id::text
       from logs where other->>'error' like '%quota%' and other->'admin_info' is null order by id`,
    );
    const row = { type: 6, quota: 0, model_name: 'gpt-4o' };
    const refused = { ...row, token_name: 'small', is_stream: true, error: 'token_quota_exhausted' };
    expect([...rows]).toMatchObject([
      ...Array(5).fill(refused),
      {
        ...row,
        token_name: 'test',
        is_stream: false,
        content: '用户额度不足，此次请求需预扣 ¥0.0004088',
        error: 'insufficient_user_quota',
      },
    ]);
    expect(answers.map(({ headers }) => headers.get('x-request-id'))).toContain(rows[0]?.request_id ?? '');
    expect(await relay.account()).toMatchObject({ quota: 1, reserved: 0, used_quota: 0 });
  });

  it('names a ban or a disabled token that this process has not heard of yet', async () => {
    expect((await relay.chat()).status).toBe(200);
    const { db } = relay.api.deps;
    await db.query('update users set status = 2 where id = $1', [relay.user.id]);
    const banned = await relay.chat();
    expect([banned.status, await codeOf(banned)]).toEqual([403, 'user_disabled']);
    await db.query('update users set status = 1 where id = $1', [relay.user.id]);
    await db.query('update tokens set status = 2 where user_id = $1', [relay.user.id]);
    const disabled = await relay.chat();
    expect([disabled.status, await codeOf(disabled)]).toEqual([401, 'invalid_api_key']);
  });

  it("counts a limited token's spending", async () => {
    const key = await relay.addToken({ unlimited_quota: false, remain_quota: 1000 });
    expect((await relay.chat({ max_tokens: CAP }, { key })).status).toBe(200);
    await relay.settled(1);
    const [token] = await relay.api.deps.db.query<{ remain_quota: number; used_quota: number }>(
      'select remain_quota, used_quota from tokens where not unlimited_quota',
    );
    expect(token).toEqual({ remain_quota: 1000 - CALL_COST, used_quota: CALL_COST });
  });
});

describe('a stream that outgrows its reservation', () => {
  it('is extended as it grows, and charged what it came to', async () => {
    relay.upstream.settings.words = 3000;
    await relay.set({ PreConsumedQuota: 100, CompletionRatio: { 'gpt-4o': 3 } });
    await setBalance(10_000);
    const answer = await relay.chat({ stream: true });
    expect(await answer.text()).toContain('[DONE]');
    const [row] = await relay.settled(1);
    expect(row).toMatchObject({ quota: 17 + 9000, other: { stream_end: 'done' } });
    expect((await relay.account()).quota).toBe(10_000 - 9017);
  });

  it('ends when nothing more can be held, is cut off at the upstream, and what came is charged', async () => {
    relay.upstream.always = 'endless';
    await relay.set({ PreConsumedQuota: 100 });
    await setBalance(700);
    const text = await (await relay.chat({ stream: true })).text();
    expect(text).not.toContain('[DONE]');
    expect(text).toContain('"code":"insufficient_user_quota"');
    const [row] = await relay.settled(1);
    expect(row?.other).toMatchObject({ stream_end: 'exhausted', usage_source: 'estimated' });
    const { quota, reserved } = await relay.account();
    expect(quota).toBeGreaterThanOrEqual(0);
    expect(reserved).toBe(0);
    expect(quota + (row?.quota ?? 0)).toBe(700);
    expect(row?.quota).toBeGreaterThan(200);
    await relay.upstream.until((upstream) => upstream.chats.at(-1)?.leftEarly === true);
  });

  it('with a cap that its upstream ignores is stopped by the balance too', async () => {
    relay.upstream.always = 'endless';
    await setBalance(HELD);
    const text = await (await relay.chat({ stream: true, max_tokens: CAP })).text();
    expect(text).toContain('"code":"insufficient_user_quota"');
    const [row] = await relay.settled(1);
    expect(row).toMatchObject({ quota: HELD, other: { stream_end: 'exhausted' } });
    expect((await relay.account()).quota).toBe(0);
  });

  it('within its cap is never asked for more than was held', async () => {
    await setBalance(CALL_COST);
    const text = await (await relay.chat({ stream: true, max_tokens: CAP })).text();
    expect(text).toContain('[DONE]');
    expect((await relay.account()).quota).toBe(0);
  });
});

describe('a change of prices', () => {
  it('touches no call under way', async () => {
    relay.upstream.next.push('held');
    const asking = relay.chat();
    await relay.upstream.until((upstream) => upstream.heldNow === 1);
    await relay.set({ ModelRatio: { 'gpt-4o': 100 } });
    relay.upstream.release();
    expect((await asking).status).toBe(200);
    expect((await relay.settled(1))[0]?.quota).toBe(CALL_COST);
    expect((await relay.chat()).status).toBe(200);
    expect((await relay.settled(2))[1]?.quota).toBe(100 * CALL_COST);
    expect((await relay.account()).quota).toBe(BALANCE - 101 * CALL_COST);
  });
});

describe('a retried call', () => {
  it('is charged once, by what the channel reports that answered', async () => {
    await relay.addChannel();
    await relay.addChannel();
    relay.upstream.next.push('500', '429', 'ok');
    expect((await relay.chat()).status).toBe(200);
    const [row] = await relay.settled(1);
    expect(row).toMatchObject({ type: 2, quota: CALL_COST });
    expect(row?.other.admin_info.use_channel).toHaveLength(3);
    expect(row?.other.admin_info.attempts.map(({ status }: { status: number }) => status)).toEqual([
      500, 429,
    ]);
  });

  it('asks no channel twice, and no more than RetryTimes others', async () => {
    relay.upstream.always = '500';
    expect((await relay.chat()).status).toBe(502);
    expect(relay.upstream.chats).toHaveLength(1);
    for (let i = 0; i < 4; i++) await relay.addChannel();
    expect((await relay.chat()).status).toBe(502);
    expect(relay.upstream.chats).toHaveLength(1 + 3);
    await relay.set({ RetryTimes: 0 });
    expect((await relay.chat()).status).toBe(502);
    expect(relay.upstream.chats).toHaveLength(1 + 3 + 1);
  });

  it.each(['400', '413', '422', '504', '524', '408'] as const)(
    'is not made after a %s',
    async (behaviour) => {
      await relay.addChannel();
      relay.upstream.always = behaviour;
      await relay.chat();
      expect(relay.upstream.chats).toHaveLength(1);
    },
  );

  it('asks the next key of a channel when the first is refused', async () => {
    await relay.root.del(`/api/channel/${relay.channelId}`);
    await relay.addChannel({ key: 'sk-first-key\nsk-second-key', multi_key_mode: 'random' });
    relay.upstream.next.push('401', 'ok');
    expect((await relay.chat()).status).toBe(200);
    const keys = relay.upstream.chats.map(({ headers }) => headers.authorization);
    expect(keys.sort()).toEqual(['Bearer sk-first-key', 'Bearer sk-second-key']);
  });
});

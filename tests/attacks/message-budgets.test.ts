/** Using up what a mailbox, a number or the site may be sent, so that those whose it is get nothing. */
import { afterAll, beforeAll, describe, expect, it, spyOn } from 'bun:test';
import { turnSubject } from '../../src/platform/limiter.ts';
import { sha256 } from '../../src/platform/secrets.ts';
import { type Answer, type Client, openApi, type TestApi } from '../support/api.ts';
import { givePass } from '../support/captcha.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { patience } from '../support/patience.ts';
import { type SmsServer, startSmsServer } from '../support/sms-server.ts';
import { until } from '../support/waits.ts';

let api: TestApi;
let sms: SmsServer;
let mail: MailServer;
beforeAll(async () => {
  api = await openApi('postgres');
  sms = startSmsServer();
  mail = await startMailServer();
  await api.deps.options.set({
    ApiRateLimitAddress: '100000',
    PhoneLoginEnabled: 'true',
    PhoneRegisterEnabled: 'true',
    RegisterEnabled: 'true',
    'sms.provider': 'http',
    'sms.url': sms.template,
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mail.port),
    ServerAddress: 'https://gate.example',
  });
});
afterAll(async () => {
  await api.close();
  await sms.close();
  await mail.close();
});

let addresses = 0;
/** Of another provider each. */
const newAddress = (): string => `${20 + (++addresses >> 8)}.${addresses & 255}.7.7`;
const stranger = (ip = newAddress()): Client => api.guest({ ip, locale: 'en' });
const ipOf = (client: Client): string => client.headers['x-forwarded-for'] ?? '';

/** One way to be sent something. */
interface Way {
  subject(n: number): string;
  column: 'phone' | 'email';
  ask(client: Client, subject: string): Promise<Answer>;
  sentTo(subject: string): number;
  /** Of one network, and of how many networks, in a day. */
  pair: number;
  networks: number;
  site: { key: string; limit: number };
}

const byPhone: Way = {
  subject: (n) => `139${String(n).padStart(8, '0')}`,
  column: 'phone',
  async ask(client, mobile) {
    await givePass(api, client);
    return client.post('/api/sms/code', { mobile });
  },
  sentTo: (subject) => sms.messages.filter(({ phone }) => phone === subject).length,
  pair: 5,
  networks: 4,
  site: { key: 'message:phone:site:3600', limit: 200 },
};
const byReset: Way = {
  subject: (n) => `budget${n}@mail.example`,
  column: 'email',
  ask: (client, email) => client.get(`/api/reset_password?email=${encodeURIComponent(email)}`),
  sentTo: (subject) => mail.mails.filter(({ recipients }) => recipients.includes(subject)).length,
  pair: 10,
  networks: 4,
  site: { key: 'message:reset:site:3600', limit: 500 },
};
const ways: [string, Way][] = [
  ['codes by phone', byPhone],
  ['links for a new password', byReset],
];

/** As if an hour had passed since `ip` asked for the subject: what is left counts days. */
async function forgetHour(subject: string, ip: string): Promise<void> {
  for (const kind of ['phone', 'mail', 'reset']) {
    for (const window of [60, 3_600]) {
      for (const who of [sha256(subject), `${sha256(subject)}:${turnSubject(ip)}`]) {
        await api.deps.limiter.clear(`message:${kind}:${who}:${window}`);
      }
      await api.deps.limiter.clear(`message:${kind}:network:${ip}`);
      await api.deps.limiter.clear(`message:${kind}:${ip}:${window}`);
    }
  }
}

/** Asks as often in a day as so many networks may; answers how many were let through. */
async function useUp(
  ask: Way['ask'],
  subject: string,
  { networks, pair }: Pick<Way, 'networks' | 'pair'>,
): Promise<number> {
  let sent = 0;
  for (let n = 0; n < networks; n++) {
    const attacker = stranger();
    for (let i = 0; i < pair; i++) {
      await forgetHour(subject, ipOf(attacker));
      if ((await ask(attacker, subject)).success) sent++;
    }
    await forgetHour(subject, ipOf(attacker));
  }
  return sent;
}

let people = 0;
/** A subject that has an account, whose owner was in with his browser and left. */
async function owner(way: Way) {
  const user = await api.createUser();
  const subject = way.subject(++people);
  await api.deps.db.query(`update users set ${way.column} = '${subject}' where id = ${user.id}`);
  const browser = stranger();
  await browser.login(user.username);
  browser.cookies.delete('session');
  browser.userId = null;
  return { subject, user, browser, home: ipOf(browser) };
}
const nobody = (way: Way): string => way.subject(++people);

/** How many have come when no more are on their way; of these as many as were let through, however slow the machine. */
async function settled(way: Way, subject: string, sent = 0): Promise<number> {
  const isUnderWay = (before: number) => way.sentTo(subject) !== before || before < sent;
  for (let before = -1; isUnderWay(before); await Bun.sleep(200)) before = way.sentTo(subject);
  return way.sentTo(subject);
}

/** Whether one more comes to the subject than `before`, given time to. */
async function comes(way: Way, subject: string, before: number): Promise<boolean> {
  const end = performance.now() + patience(2_000);
  while (way.sentTo(subject) === before && performance.now() < end) await Bun.sleep(20);
  return way.sentTo(subject) === before + 1;
}

/** What a caller sees, with the time to wait to the minute. */
const seen = ({ status, code, message, headers }: Answer) => ({
  status,
  code,
  message,
  wait: Math.round(Number(headers.get('retry-after')) / 60),
});
const REFUSED = { status: 429, code: 'RATE_LIMIT' };

describe.each(ways)('%s, when strangers have used up a day’s', (_what, way) => {
  it('still come for the browser that was in before', async () => {
    const { subject, browser } = await owner(way);
    expect(await useUp(way.ask, subject, way)).toBe(way.networks * way.pair);
    expect(await way.ask(stranger(), subject)).toMatchObject(REFUSED);
    // It is somewhere else by now.
    browser.headers['x-forwarded-for'] = newAddress();
    const before = await settled(way, subject, way.networks * way.pair);
    expect((await way.ask(browser, subject)).success).toBe(true);
    expect(await comes(way, subject, before)).toBe(true);
  });

  it('still come for who asks from home, who is told to wait like everybody', async () => {
    const { subject, home } = await owner(way);
    const sent = await useUp(way.ask, subject, way);
    const before = await settled(way, subject, sent);
    expect(await way.ask(stranger(home), subject)).toMatchObject(REFUSED);
    expect(await comes(way, subject, before)).toBe(true);
    expect(await way.ask(stranger(), subject)).toMatchObject(REFUSED);
    expect(await settled(way, subject)).toBe(before + 1);
  });

  it('tell nobody whether there is an account, whoever asks however often', async () => {
    const known = await owner(way);
    const unknown = nobody(way);
    const answers = async (subject: string, ip: string) => {
      await useUp(way.ask, subject, way);
      const told: unknown[] = [];
      for (const client of [stranger(ip), stranger(ip), stranger()]) {
        for (let n = 0; n < way.pair + 2; n++) {
          await forgetHour(subject, ipOf(client));
          told.push(seen(await way.ask(client, subject)));
        }
      }
      return told;
    };
    expect(await answers(known.subject, known.home)).toEqual(await answers(unknown, newAddress()));
    expect(await settled(way, unknown)).toBe(way === byReset ? 0 : way.networks * way.pair);
  });

  it('have an end for the browser that was in before too', async () => {
    const { subject, user, browser } = await owner(way);
    const id = /\.([\w-]{22})\./.exec(browser.cookies.get('known') ?? '')?.[1] ?? '';
    const statuses: number[] = [];
    for (let n = 0; n < way.pair + 2; n++) {
      for (const window of [60, 3_600]) {
        for (const who of [`known:${sha256(id)}`, `account:${user.id}`]) {
          for (const kind of ['phone', 'reset'])
            await api.deps.limiter.clear(`message:${kind}:${who}:${window}`);
        }
      }
      await forgetHour(subject, ipOf(browser));
      statuses.push((await way.ask(browser, subject)).status);
    }
    expect(statuses).toEqual([...new Array(way.pair).fill(200), 429, 429]);
  });

  it.each<[string, (mine: string, other: string) => string]>([
    ['another account’s', (_mine, other) => other],
    ['a forged', (mine) => mine.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))],
  ])('do not come for %s mark of a browser', async (_which, made) => {
    const { subject, browser } = await owner(way);
    const other = await owner(way);
    await useUp(way.ask, subject, way);
    const thief = stranger();
    const marks = [browser, other.browser].map(({ cookies }) => cookies.get('known') ?? '');
    thief.cookies.set('known', made(marks[0] ?? '', marks[1] ?? ''));
    const before = await settled(way, subject);
    expect(await way.ask(thief, subject)).toMatchObject(REFUSED);
    expect(await settled(way, subject)).toBe(before);
  });
});

describe.each(ways)('%s, when strangers have used up the site’s', (_what, way) => {
  /** As if so many had been sent in this hour. */
  const setSite = async (times: number): Promise<void> => {
    await api.deps.limiter.clear(way.site.key);
    await api.deps.limiter.add({ key: way.site.key, windowSec: 3_600 }, Math.floor(way.site.limit * times));
  };

  it('come to who has an account, then to who is near to his own, and then to nobody', async () => {
    /** What is answered, and what is sent, once all has come that is to come, and had time to be more. */
    const asks = async (coming: number[]) => {
      const [one, two, three] = [await owner(way), await owner(way), await owner(way)];
      const unknown = nobody(way);
      const answers = [
        await way.ask(stranger(), unknown),
        await way.ask(stranger(), one.subject),
        await way.ask(stranger(two.home), two.subject),
        await way.ask(three.browser, three.subject),
      ];
      const subjects = [unknown, one.subject, two.subject, three.subject];
      await until('what is to be sent', () =>
        subjects.every((subject, n) => way.sentTo(subject) >= (coming[n] ?? 0)),
      );
      const sent = await Promise.all(subjects.map((subject) => settled(way, subject)));
      return { statuses: answers.map(({ status }) => status), sent };
    };
    const { log } = api.deps;
    const logged = spyOn(log, 'error').mockImplementation(() => undefined);
    try {
      await setSite(1);
      expect(await asks([0, 1, 1, 1])).toEqual({ statuses: [429, 429, 429, 200], sent: [0, 1, 1, 1] });
      await setSite(1.25);
      expect(await asks([0, 0, 1, 1])).toEqual({ statuses: [429, 429, 429, 200], sent: [0, 0, 1, 1] });
      await setSite(1.5);
      expect(await asks([0, 0, 0, 0])).toEqual({ statuses: [429, 429, 429, 429], sent: [0, 0, 0, 0] });
      expect(logged.mock.calls.filter(([event]) => event === 'message.budget')).toHaveLength(1);
    } finally {
      logged.mockRestore();
      await api.deps.limiter.clear(way.site.key);
    }
  });

  it('answer a stranger alike, whether or not there is an account', async () => {
    const { subject } = await owner(way);
    const unknown = nobody(way);
    const client = [stranger(), stranger()] as const;
    await setSite(1);
    try {
      for (let n = 0; n < way.pair + 2; n++) {
        for (const [i, to] of [subject, unknown].entries()) await forgetHour(to, ipOf(client[i ? 1 : 0]));
        const [known, other] = [await way.ask(client[0], subject), await way.ask(client[1], unknown)];
        expect(seen(known)).toEqual(seen(other));
      }
    } finally {
      await api.deps.limiter.clear(way.site.key);
    }
  });
});

describe.each(ways)('%s, when one provider’s network asks for all that it may', (_what, way) => {
  const atSite = () => api.deps.limiter.counted(way.site.key);
  const quarter = way.site.limit / 4;

  it.each<[string, (n: number) => string]>([
    ['a /16', (n) => `11.${way.pair}.${n >> 8}.${n & 255}`],
    ['a /32', (n) => `2001:db${way.pair}:${n.toString(16)}::7`],
  ])('are a quarter of the site’s for %s, and go on for everybody else', async (_network, address) => {
    const before = await atSite();
    const refused = new Set<number>();
    let sent = 0;
    for (let n = 0; n < quarter + 20; n++) {
      const answer = await way.ask(stranger(address(n)), nobody(way));
      if (answer.success) sent++;
      else refused.add(answer.status);
    }
    expect([sent, [...refused], (await atSite()) - before]).toEqual([quarter, [429], quarter]);
    expect((await way.ask(stranger(), nobody(way))).success).toBe(true);
    // Who is at home there, or was in before, is sent his own; who has an account, a little more than strangers are.
    const [near, known] = [await owner(way), await owner(way)];
    await api.deps.db.query(`update users set login_ip = $1 where id = ${near.user.id}`, [address(999)]);
    known.browser.headers['x-forwarded-for'] = address(998);
    const [home, others] = [await atSite(), await owner(way)];
    expect((await way.ask(stranger(address(999)), near.subject)).status).toBe(429);
    expect((await way.ask(known.browser, known.subject)).success).toBe(true);
    expect((await way.ask(stranger(address(997)), others.subject)).status).toBe(429);
    expect([await comes(way, near.subject, 0), await comes(way, known.subject, 0)]).toEqual([true, true]);
    expect(await comes(way, others.subject, 0)).toBe(true);
    expect((await atSite()) - home).toBe(3);
    await api.deps.limiter.clear(way.site.key);
  });

  it('have no more for accounts that it knows of than a third of the site’s', async () => {
    const address = (n: number) => `12.${way.pair}.${n >> 8}.${n & 255}`;
    for (let n = 0; n < quarter; n++) await way.ask(stranger(address(n)), nobody(way));
    const accounts = await Promise.all(Array.from({ length: quarter / 2 }, () => owner(way)));
    const before = await atSite();
    for (const [n, { subject }] of accounts.entries()) await way.ask(stranger(address(500 + n)), subject);
    expect((await atSite()) - before).toBe(Math.floor(quarter * 1.25) - quarter);
    await api.deps.limiter.clear(way.site.key);
  });

  it('leave the last part to networks that have had none in this hour, one each', async () => {
    const windowSec = 3_600;
    const [used, fresh] = ['13', '14'].map((first) => (n: number) => `${first}.${way.pair}.0.${n}`);
    await api.deps.limiter.clear(way.site.key);
    expect((await way.ask(stranger(used?.(1)), nobody(way))).success).toBe(true);
    await api.deps.limiter.add({ key: way.site.key, windowSec }, way.site.limit * 0.75 - 1);
    expect((await way.ask(stranger(used?.(2)), nobody(way))).status).toBe(429);
    // Of those who come at once, too.
    const first = await Promise.all([1, 2, 3].map((n) => way.ask(stranger(fresh?.(n)), nobody(way))));
    expect(first.map(({ status }) => status).toSorted()).toEqual([200, 429, 429]);
    expect((await way.ask(stranger(), nobody(way))).success).toBe(true);
    await api.deps.limiter.add({ key: way.site.key, windowSec }, way.site.limit * 0.25 - 2);
    expect((await way.ask(stranger(), nobody(way))).status).toBe(429);
    await api.deps.limiter.clear(way.site.key);
  });
});

it('what goes to who has an account is not waited for when strangers are refused', async () => {
  const { subject, home } = await owner(byPhone);
  await useUp(byPhone.ask, subject, byPhone);
  const { sms: service } = api.deps;
  const going = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const sending = spyOn(service, 'sendCode').mockImplementation(() => {
    asked.resolve();
    return going.promise;
  });
  try {
    expect(await byPhone.ask(stranger(home), subject)).toMatchObject(REFUSED);
    await asked.promise;
    expect(sending).toHaveBeenCalledTimes(1);
  } finally {
    // One that fails then is nobody's fault here, and ends nothing.
    going.reject(new Error('no'));
    sending.mockRestore();
  }
});

it('codes to register with leave the links for a new password alone', async () => {
  const { subject } = await owner(byReset);
  const ask: Way['ask'] = (client, email) =>
    client.get(`/api/verification?email=${encodeURIComponent(email)}`);
  expect(await useUp(ask, subject, byReset)).toBe(40);
  const isLink = ({ recipients, text }: MailServer['mails'][number]): boolean =>
    recipients.includes(subject) && (text ?? '').includes('/user/reset?');
  const link = mail.that(isLink);
  expect((await byReset.ask(stranger(), subject)).success).toBe(true);
  expect(isLink(await link)).toBe(true);
});

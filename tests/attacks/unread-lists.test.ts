/**
 * Lists, pages and sheets of the console, and lists of the relay, that somebody asks for on many connections and reads
 * nothing of but the head: the runtime keeps a whole body for as long as its reader likes.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import net from 'node:net';
import { createApi } from '../../src/api.ts';
import { limits } from '../../src/core/limits.ts';
import { nowSec } from '../../src/core/time.ts';
import { createFront, type Part } from '../../src/front.ts';
import { BodyBudget } from '../../src/platform/body-budget.ts';
import { relayRoutes } from '../../src/relay/entry/routes.ts';
import { handle } from '../../src/relay/handle.ts';
import { type Client, openApi, type TestApi, type TestUser } from '../support/api.ts';
import { patience } from '../support/patience.ts';

const MIB = 1024 * 1024;
/** More than twice what sockets take at once: half of the room goes back with half of an answer. */
const PAGE = 'a page for everybody, '.repeat(MIB);
const SMALL_PAGE = PAGE.slice(0, MIB);
const ROWS = 100;
const ROW_BYTES = 240_000;
const LIST_BYTES = ROWS * ROW_BYTES;

let api: TestApi;
let server: Bun.Server<unknown>;
let user: TestUser;
let reads = 0;

beforeAll(async () => {
  api = await openApi('postgres');
  const { deps } = api;
  const page: Part = {
    fetch: ({ url }) =>
      new Response(url.endsWith('/small') ? SMALL_PAGE : PAGE, { headers: { 'content-type': 'text/html' } }),
  };
  const parts = { probes: page, description: page, playground: page, pages: page };
  const relay = relayRoutes(deps.relay, handle);
  const front = createFront(
    { ...parts, api: createApi(deps), relay },
    { ...deps, ownShareOf: async () => null },
  );
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    fetch: (request) => front(request, server),
  });
  user = await api.createUser();
  await fill(user, ROWS, ROW_BYTES);
  const { orm } = deps.db;
  const transaction = orm.transaction.bind(orm);
  orm.transaction = ((...given: Parameters<typeof transaction>) => {
    reads++;
    return transaction(...given);
  }) as typeof transaction;
});
afterAll(async () => {
  await server.stop(true);
  await api.close();
});

const fill = (of: TestUser, rows: number, bytes: number, tokenId = 0) =>
  api.deps.db.query(`insert into logs (created_at, user_id, token_id, type, content)
    select ${nowSec()} - i, ${of.id}, ${tokenId}, 2, repeat('x', ${bytes}) from generate_series(1, ${rows}) i`);

const LIST = '/api/log/self?page_size=100';
const SHEET = '/api/log/export';

const cookieOf = ({ cookies, userId }: Client): Record<string, string> => ({
  cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  'new-api-user': String(userId),
});

/** Asks and takes nothing but the head of the answer; with its status. */
async function askUnread(path: string, headers: Record<string, string>, ip = '198.51.100.1', method = 'GET') {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const lines = Object.entries({ host: 'a', 'x-forwarded-for': ip, ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const socket = net.connect(server.port ?? 0, '127.0.0.1', () =>
    socket.write(`${method} ${path} HTTP/1.1\r\n${head}\r\n`),
  );
  socket.once('error', reject);
  socket.once('readable', resolve);
  await promise;
  const came = String(socket.read());
  return { socket, status: Number(came.split(' ')[1]), came };
}

async function until(condition: () => boolean): Promise<void> {
  for (const end = performance.now() + patience(10_000); !condition(); await Bun.sleep(5)) {
    if (performance.now() > end) throw new Error('that does not come');
  }
}

const relay = () => api.deps.relay;
const guestBytes = () => api.deps.large.guestBytes;
const heldBytes = () => relay().answersHeld.bytes;
const sheets = () => api.deps.sheets.open;

/** Asks one after the other, so that each finds what the others have left; with their statuses. */
async function askAll(asked: [path: string, headers: Record<string, string>, ip: string][]) {
  const sockets: net.Socket[] = [];
  const answers: Awaited<ReturnType<typeof askUnread>>[] = [];
  for (const [path, headers, ip] of asked) {
    const answer = await askUnread(path, headers, ip);
    answers.push(answer);
    sockets.push(answer.socket);
  }
  return {
    statuses: answers.map(({ status }) => status),
    texts: answers.map(({ came }) => came),
    sockets,
    leave() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** With room for two large answers, of which one user or network has one. */
async function inLittleRoom(work: () => Promise<void>): Promise<void> {
  const { answersHeld, answersByNetwork } = relay();
  const most = 2.1 * LIST_BYTES;
  Object.assign(relay(), { answersHeld: new BodyBudget(most), answersByNetwork: new BodyBudget(most) });
  try {
    await work();
    await until(() => heldBytes() + relay().answersByNetwork.bytes === 0);
  } finally {
    Object.assign(relay(), { answersHeld, answersByNetwork });
  }
}

describe('a list that its reader does not read', () => {
  it('keeps its room until he has it or has gone', async () => {
    const headers = cookieOf(await api.as(user));
    const { statuses, leave } = await askAll([
      [LIST, headers, '198.51.100.1'],
      [LIST, headers, '198.51.100.1'],
    ]);
    expect(statuses).toEqual([200, 200]);
    expect(heldBytes()).toBeGreaterThan(LIST_BYTES);
    expect(relay().answersByNetwork.bytes).toBe(heldBytes());
    leave();
    await until(() => heldBytes() === 0);
  });

  it('leaves room for others, and for other networks', () =>
    inLittleRoom(async () => {
      const headers = cookieOf(await api.as(user));
      const other = await api.createUser();
      await fill(other, 10, ROW_BYTES);
      const others = cookieOf(await api.as(other));
      const { statuses, texts, leave } = await askAll([
        [LIST, headers, '198.51.100.1'],
        [LIST, headers, '203.0.113.9'],
        [LIST, others, '198.51.100.1'],
        [LIST, others, '203.0.113.9'],
      ]);
      expect(statuses).toEqual([200, 503, 503, 200]);
      expect(texts[1]).toContain('OVERLOADED');
      expect(texts[1]?.toLowerCase()).toContain('retry-after');
      leave();
    }));

  it('is held for whose key it is where the relay lists it', () =>
    inLittleRoom(async () => {
      const owner = await api.createUser();
      const made = (await (await api.as(owner)).post('/api/token/', { name: 'key' })).data;
      await fill(owner, ROWS, ROW_BYTES, made.id);
      const headers = { authorization: `Bearer sk-${made.key}` };
      const { statuses, texts, leave } = await askAll([
        ['/api/log/token', headers, '198.51.100.1'],
        ['/api/log/token', headers, '203.0.113.9'],
      ]);
      expect(statuses).toEqual([200, 503]);
      expect(texts[1]).toContain('"error"');
      leave();
    }));

  it('comes as a whole to who reads it, however slowly', async () => {
    const headers = cookieOf(await api.as(user));
    const response = await fetch(`http://127.0.0.1:${server.port}${LIST}`, { headers });
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body ?? []) {
      pieces.push(piece);
      if (pieces.length % 256 === 0) await Bun.sleep(2);
    }
    const { data } = JSON.parse(Buffer.concat(pieces).toString());
    expect(data.items).toHaveLength(ROWS);
    expect(data.items.every(({ content }: { content: string }) => content.length === ROW_BYTES)).toBe(true);
    expect(response.headers.get('content-type')).toContain('application/json');
    await until(() => heldBytes() === 0);
  });

  it('holds nothing for who asks for the head alone', async () => {
    const { socket } = await askUnread(LIST, cookieOf(await api.as(user)), '198.51.100.1', 'HEAD');
    expect(heldBytes()).toBe(0);
    socket.destroy();
  });
});

it('pages that guests do not read have room of their own, and leave it to who asks for little', async () => {
  const { statuses, leave } = await askAll([
    ['/', {}, '198.51.100.1'],
    ['/', {}, '198.51.100.1'],
    ['/small', {}, '203.0.113.9'],
  ]);
  expect([...statuses, heldBytes()]).toEqual([200, 503, 200, 0]);
  expect(guestBytes()).toBeGreaterThan(PAGE.length / 2);
  leave();
  await until(() => guestBytes() === 0);
});

describe('a sheet that its reader does not read', () => {
  /** Of a megabyte each, of which sockets take some. */
  const PIECES = 24;
  let owner: TestUser;
  beforeAll(async () => {
    owner = await api.createUser();
    await fill(owner, PIECES * limits.exportPage, 2_000);
  });

  it('takes one of the places of its user and his network until he has gone', async () => {
    const one = cookieOf(await api.as(owner));
    const two = cookieOf(await api.as(await api.createUser()));
    const mine = await askAll([
      [SHEET, one, '198.51.100.1'],
      [SHEET, one, '203.0.113.9'],
      [SHEET, one, '192.0.2.1'],
    ]);
    expect([...mine.statuses, sheets()]).toEqual([200, 200, 429, 2]);
    expect(mine.texts[2]).toContain('SHEETS_OPEN');
    // Who reads his sheet has it, though others of his network do not.
    const whole = await fetch(`http://127.0.0.1:${server.port}${SHEET}`, { headers: two });
    expect((await whole.text()).split('\r\n')).toHaveLength(2);
    mine.leave();
    await until(() => sheets() === 0);
    const network: [string, Record<string, string>, string][] = [];
    for (let n = 0; n < limits.sheetsOfNetwork + 1; n += limits.sheetsOfUser) {
      const neighbour = await api.createUser();
      await fill(neighbour, 350, 30_000);
      const headers = cookieOf(await api.as(neighbour));
      for (let m = 0; m < limits.sheetsOfUser; m++) network.push([SHEET, headers, '198.51.100.1']);
    }
    const all = await askAll(network);
    expect(all.statuses).toEqual([
      ...Array(limits.sheetsOfNetwork).fill(200),
      ...Array(network.length - limits.sheetsOfNetwork).fill(429),
    ]);
    all.leave();
    await until(() => sheets() === 0);
  });

  it('gives way to who finds no place, however many hold theirs', async () => {
    Object.assign(api.deps.sheets, { most: 2 });
    const headers = cookieOf(await api.as(owner));
    const { sockets, leave } = await askAll([
      [SHEET, headers, '198.51.100.1'],
      [SHEET, headers, '203.0.113.9'],
    ]);
    // Which of the two has stood still for longer, only the server knows.
    const closed = new Promise((resolve) => {
      for (const socket of sockets) socket.once('close', resolve);
    });
    const other = cookieOf(await api.as(await api.createUser()));
    let status = 429;
    for (
      const end = performance.now() + patience(15_000);
      status === 429 && performance.now() < end;
      await Bun.sleep(50)
    ) {
      const answer = await fetch(`http://127.0.0.1:${server.port}${SHEET}`, { headers: other });
      ({ status } = answer);
      await answer.text();
    }
    expect(status).toBe(200);
    for (const socket of sockets) socket.resume();
    await closed;
    leave();
    await until(() => sheets() === 0);
    Object.assign(api.deps.sheets, { most: limits.sheetsAtOnce });
  });

  it('is read from the database no further than he takes it, and not at all when he has gone', async () => {
    const headers = cookieOf(await api.as(owner));
    const before = reads;
    const { socket } = await askUnread(SHEET, headers);
    // The count, the first piece, and more.
    await until(() => reads - before > 2);
    socket.destroy();
    await until(() => sheets() === 0);
    const after = reads - before;
    expect(after).toBeLessThan(PIECES);
    await (await api.as(owner)).get(LIST);
    expect(reads - before).toBe(after + 1);
  });

  it('comes as a whole to who reads it', async () => {
    const headers = cookieOf(await api.as(owner));
    const response = await fetch(`http://127.0.0.1:${server.port}${SHEET}`, { headers });
    expect((await response.text()).trim().split('\r\n')).toHaveLength(PIECES * limits.exportPage + 1);
    await until(() => sheets() === 0);
  });

  it('gives its place back when it is refused', async () => {
    const headers = cookieOf(await api.as(owner));
    const ask = () => fetch(`http://127.0.0.1:${server.port}/api/user/999999/statement/export`, { headers });
    for (let n = 0; n < limits.sheetsOfUser + 1; n++) expect((await ask()).status).not.toBe(429);
    expect(sheets()).toBe(0);
  });
});

/** What pages of the console weigh on a browser that has never seen them, and when they can be used. */
import { type BrowserContext, chromium } from 'playwright';
import { type ConsoleClient, setUp, startGateway } from '../../tests/support/gateway.ts';
import { fillDesk, fillTasks, openOrders } from '../../tests/support/list-rows.ts';
import { type Line, type Weight, weigh } from '../../tests/support/weight.ts';
import { median } from './figures.ts';
import { table } from './report.ts';

const ROUNDS = 5;
const ROWS = 25;
const HERE = 'here';
const LINES: Record<string, { line?: Line; usableMs: number }> = {
  [HERE]: { usableMs: 600 },
  '150 ms, 1.6 Mbit/s': { line: { latencyMs: 150, bitsPerSecond: 1_600_000 }, usableMs: 1_500 },
};
const SHIFT_MAX = 0.02;
const LOGIN = '/login';
/** What a stranger loads before he can sign in. */
const LOGIN_MAX = { requests: 15, bytes: 190_000 };
const LISTS = [
  ...['/token', '/channel', '/user', '/redemption', '/log', '/model-hub', '/admin-log', '/oauth-apps'],
  ...['/activity-config', '/task', '/task-like', '/midjourney', '/payment', '/topup/statement'],
  ...['suppliers', 'suppliers?view=configs', 'prompts', 'roles', 'marketplace'].map(
    (tab) => `/aipy-conf/${tab}`,
  ),
];

/** Rows for every list that calls can fill; what is done to users stands in the two logs. */
async function fill(root: ConsoleClient): Promise<void> {
  for (const key of ['DrawingEnabled', 'TaskEnabled']) await root.setOption(key, true);
  for (let i = 0; i < ROWS; i++) {
    await root.post('/api/token/', { name: `token ${i}`, unlimited_quota: true });
    await root.post('/api/user/', { username: `user${i}`, password: 'Passw0rd1', display_name: `User ${i}` });
    await root.addChannel('https://upstream.example', {
      name: `channel ${i}`,
      key: `sk-${i}`,
      models: 'gpt-4o,o3,deepseek-chat',
    });
  }
  const [code] = await root.post('/api/redemption/', { name: 'spring', quota: 100_000, count: ROWS });
  await root.post('/api/user/topup', { key: code });
  const { items } = await root.get('/api/user/?page_size=100');
  for (const { id, username, quota, group } of items.filter((user: { role: number }) => user.role === 1)) {
    await root.put('/api/user/', { id, username, group, quota: quota + 1 });
  }
  await fillDesk((path, body) => root.post(path, body));
  const [supplier] = await root.get('/api/supplier');
  await root.post('/api/user/custom-models/conf', {
    supplier_id: supplier.id,
    key: 'sk-own',
    models: ['m-1'],
  });
  await root.post('/api/task/like', { task_id: 'task-1', mark: 1, title: 'Trip to Lisbon', task: '{}' });
}

/** What is wrong with a page on a line, in words. */
function missed(path: string, name: string, { requests, bytes, usableMs, shift }: Weight): string[] {
  const bounds = LINES[name];
  const isLogin = path === LOGIN && name === HERE;
  return [
    ...(bounds && usableMs > bounds.usableMs ? [`usable in ${bounds.usableMs} ms`] : []),
    ...(shift > SHIFT_MAX ? [`CLS ${SHIFT_MAX}`] : []),
    ...(isLogin && requests > LOGIN_MAX.requests ? [`${LOGIN_MAX.requests} requests`] : []),
    ...(isLogin && bytes > LOGIN_MAX.bytes ? [`${LOGIN_MAX.bytes} bytes`] : []),
  ];
}

let gateway = await startGateway();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
});

/** A browser that has never been here, in English; signed in unless it is to sign in. */
async function stranger(cookie: string): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: gateway.base,
    viewport: { width: 1280, height: 850 },
    locale: 'en-US',
  });
  const cookies = cookie.split('; ').filter(Boolean);
  await context.addCookies(
    ['lang=en', ...cookies].map((one) => {
      const at = one.indexOf('=');
      return { name: one.slice(0, at), value: one.slice(at + 1), url: gateway.base };
    }),
  );
  return context;
}

async function measured(path: string, cookie: string, line?: Line): Promise<Weight> {
  const context = await stranger(cookie);
  try {
    return await weigh(context, path, line ? { line } : {});
  } finally {
    await context.close();
  }
}

/** Of all rounds, each figure by itself. */
function medianOf(found: readonly Weight[]): Weight {
  const of = (key: keyof Weight) => median(found.map((one) => one[key]));
  return { requests: of('requests'), bytes: of('bytes'), usableMs: of('usableMs'), shift: of('shift') };
}

try {
  const root = await setUp(gateway);
  await fill(root);
  // What no call of this process makes is put where the server looks for it.
  await gateway.stop();
  await gateway.withDatabase(async (db) => {
    await openOrders(db, root.user?.id ?? 0);
    await fillTasks(db, root.user?.id ?? 0, '');
  });
  gateway = await gateway.restart();

  const asked = process.argv.slice(2);
  const rows: string[][] = [];
  let isHeld = true;
  for (const path of asked.length > 0 ? asked : [LOGIN, ...LISTS]) {
    const cookie = path === LOGIN ? '' : root.cookie;
    // The first wakes the server's compiler.
    await measured(path, cookie);
    for (const [name, { line }] of Object.entries(LINES)) {
      const found: Weight[] = [];
      for (let round = 0; round < ROUNDS; round++) found.push(await measured(path, cookie, line));
      const weight = medianOf(found);
      const over = missed(path, name, weight);
      if (over.length > 0) isHeld = false;
      rows.push([
        path,
        name,
        String(weight.requests),
        weight.bytes.toLocaleString('en-US'),
        `${Math.round(weight.usableMs)} ms`,
        weight.shift.toFixed(3),
        over.length > 0 ? `missed: ${over.join(', ')}` : 'held',
      ]);
    }
  }
  console.log(table(['page', 'line', 'requests', 'bytes', 'usable', 'CLS', ''], rows));
  if (!isHeld) process.exitCode = 1;
} finally {
  await browser.close();
  await gateway.stop();
}

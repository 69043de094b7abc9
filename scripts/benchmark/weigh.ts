/** What pages of the console weigh on a browser that has never seen them, and when they can be used. */
import { type BrowserContext, chromium } from 'playwright';
import { type ConsoleClient, setUp, startGateway } from '../../tests/support/gateway.ts';
import { type Line, type Weight, weigh } from '../../tests/support/weight.ts';
import { median } from './figures.ts';
import { table } from './report.ts';

const ROUNDS = 5;
const ROWS = 25;
const LINES: Record<string, Line | undefined> = {
  here: undefined,
  '150 ms, 1.6 Mbit/s': { latencyMs: 150, bitsPerSecond: 1_600_000 },
};
/** Lists whose rows a link opens; those of tokens and channels are opened by a menu. */
const PAGES = ['/login', '/user', '/redemption', '/log', '/admin-log'];

/** Rows for every list; what is done to users stands in the two logs. */
async function fill(root: ConsoleClient): Promise<void> {
  for (let i = 0; i < ROWS; i++) {
    await root.post('/api/token/', { name: `token ${i}`, unlimited_quota: true });
    await root.post('/api/user/', { username: `user${i}`, password: 'Passw0rd1', display_name: `User ${i}` });
    await root.addChannel('https://upstream.example', {
      name: `channel ${i}`,
      key: `sk-${i}`,
      models: 'a,b,c',
    });
  }
  await root.post('/api/redemption/', { name: 'spring', quota: 100_000, count: ROWS });
  const { items } = await root.get('/api/user/?page_size=100');
  for (const { id, username, quota, group } of items.filter((user: { role: number }) => user.role === 1)) {
    await root.put('/api/user/', { id, username, group, quota: quota + 1 });
  }
}

const gateway = await startGateway();
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

try {
  const root = await setUp(gateway);
  await fill(root);
  const asked = process.argv.slice(2);
  const rows: string[][] = [];
  for (const path of asked.length > 0 ? asked : PAGES) {
    const cookie = path === '/login' ? '' : root.cookie;
    // The first wakes the server's compiler.
    await measured(path, cookie);
    for (const [name, line] of Object.entries(LINES)) {
      const found: Weight[] = [];
      for (let round = 0; round < ROUNDS; round++) found.push(await measured(path, cookie, line));
      const of = (key: keyof Weight) => median(found.map((one) => one[key]));
      rows.push([
        path,
        name,
        String(of('requests')),
        of('bytes').toLocaleString('en-US'),
        `${Math.round(of('usableMs'))} ms`,
        of('shift').toFixed(3),
      ]);
    }
  }
  console.log(table(['page', 'line', 'requests', 'bytes', 'usable', 'CLS'], rows));
} finally {
  await browser.close();
  await gateway.stop();
}

/**
 * Development: the real server behind a small front that reloads the browser. A change under web/ rebuilds the console;
 * any change restarts the server. The environment is that of `./scripts/up`; PORT is where the browser goes.
 */
import { watch } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dir, '..');
const port = Number(process.env.PORT || 3000);
const serverPort = port + 1;
const server = `http://127.0.0.1:${serverPort}`;
const SETTLE_MS = 80;

const RELOAD_PATH = '/_dev/reload';
const SCRIPT_PATH = '/_dev/reload.js';
const SCRIPT = `new EventSource(${JSON.stringify(RELOAD_PATH)}).onmessage = () => location.reload();`;

const env = {
  ...process.env,
  PORT: String(serverPort),
  NODE_ENV: 'development',
  BUN_CONFIG_MAX_HTTP_REQUESTS: process.env.BUN_CONFIG_MAX_HTTP_REQUESTS ?? '20000',
};
const run = (args: string[]) =>
  Bun.spawn([process.execPath, ...args], { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
const build = (): Promise<number> => run(['scripts/build.ts', '--if-changed']).exited;

if ((await build()) !== 0) process.exit(1);
let child = run(['src/main.ts']);
const pages = new Set<ReadableStreamDefaultController<string>>();

/** Until the server is ready, or has given up: what it said stands on the terminal, and the next change tries again. */
async function untilServed(): Promise<void> {
  while (child.exitCode === null) {
    const ready = await fetch(`${server}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ready) return;
    await Bun.sleep(SETTLE_MS);
  }
}

async function restart(): Promise<void> {
  if ((await build()) !== 0) return;
  child.kill('SIGTERM');
  await child.exited;
  child = run(['src/main.ts']);
  await untilServed();
  for (const page of pages) page.enqueue('data: reload\n\n');
}

// Editors write a file in several steps; the work begins when they have come to rest, and one run follows another.
let timer: ReturnType<typeof setTimeout> | undefined;
let work = Promise.resolve();
for (const folder of ['web', 'src']) {
  watch(join(root, folder), { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      work = work.then(restart);
    }, SETTLE_MS);
  });
}

function reloadStream(): Response {
  let own: ReadableStreamDefaultController<string>;
  const stream = new ReadableStream<string>({
    start(controller) {
      own = controller;
      pages.add(controller);
    },
    cancel: () => void pages.delete(own),
  });
  return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
}

/** The server's answer; a page also gets the script that reloads it. */
async function forward(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  // What is added to a page must be added to its text.
  const asked = new Headers(request.headers);
  asked.set('accept-encoding', 'identity');
  const answer = await fetch(server + pathname + search, {
    method: request.method,
    headers: asked,
    body: request.body,
    redirect: 'manual',
    decompress: false,
  }).catch(() => new Response('The server is starting.', { status: 503, headers: { refresh: '1' } }));
  if (!answer.headers.get('content-type')?.startsWith('text/html')) return answer;
  const html = `${await answer.text()}<script src="${SCRIPT_PATH}"></script>`;
  const headers = new Headers(answer.headers);
  headers.delete('content-length');
  return new Response(html, { status: answer.status, headers });
}

Bun.serve({
  port,
  hostname: process.env.HOST || '127.0.0.1',
  idleTimeout: 0,
  fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === RELOAD_PATH) return reloadStream();
    if (pathname === SCRIPT_PATH)
      return new Response(SCRIPT, { headers: { 'content-type': 'text/javascript' } });
    return forward(request);
  },
});
console.log(`http://127.0.0.1:${port} reloads with every change`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    child.kill('SIGTERM');
    void child.exited.then(() => process.exit(0));
  });
}

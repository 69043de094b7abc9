/** A real https server on the loopback under a name of its own, with a certificate that only `ca` vouches for. */
import { tempFolder } from './database.ts';

export interface Received {
  method: string;
  path: string;
  headers: Headers;
  body: string;
}

export interface HttpsServer {
  /** `https://NAME:PORT` */
  base: string;
  port: number;
  /** PEM. */
  ca: string;
  received: Received[];
  /** What the next calls are answered with; 200 and a short text when empty. */
  next: Response[];
  /** Resolves when the nth call has come, from 1. */
  nth(n: number): Promise<Received>;
  close(): Promise<void>;
}

export async function startHttpsServer(name: string): Promise<HttpsServer> {
  const folder = await tempFolder();
  const [key, cert] = [`${folder}/key.pem`, `${folder}/cert.pem`];
  const made = Bun.spawn(
    ['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
      .concat(['-days', '2', '-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`])
      .concat(['-keyout', key, '-out', cert]),
    { stderr: 'ignore' },
  );
  if ((await made.exited) !== 0) throw new Error('openssl made no certificate');
  const ca = await Bun.file(cert).text();
  const received: Received[] = [];
  const next: Response[] = [];
  let changed = Promise.withResolvers<void>();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { key: Bun.file(key), cert: ca },
    async fetch(request) {
      const { pathname: path, search } = new URL(request.url);
      const { method, headers } = request;
      received.push({ method, path: path + search, headers, body: await request.text() });
      changed.resolve();
      changed = Promise.withResolvers();
      return next.shift() ?? new Response('thank you');
    },
  });
  const port = server.port ?? 0;
  return {
    base: `https://${name}:${port}`,
    port,
    ca,
    received,
    next,
    async nth(n) {
      for (;;) {
        const call = received[n - 1];
        if (call) return call;
        await changed.promise;
      }
    },
    close: () => server.stop(true),
  };
}

/** What the terminal says once the server listens: where to open it, and how to reach it from elsewhere. */
import { networkInterfaces } from 'node:os';
import type { Env } from '../env.ts';
import { parseAddress } from '../platform/networks.ts';

/** `setupToken` is null once the system is set up. Not for the log: the line with the token lets its reader become root. */
export function greeting(
  env: Pick<Env, 'HOST' | 'PORT' | 'SERVER_ADDRESS' | 'DATABASE_URL' | 'DATA_DIR'>,
  setupToken: string | null,
): string {
  const addresses = env.SERVER_ADDRESS ? [env.SERVER_ADDRESS] : listeningAddresses(env.HOST, env.PORT);
  const lines = ['', 'Tollgate is ready.', ...addresses.map((address) => `  Open ${address}/`)];
  if (setupToken !== null) {
    lines.push('  It is not set up yet. The first visitor with this address becomes root:');
    lines.push(`  ${addresses[0]}/setup?token=${encodeURIComponent(setupToken)}`);
  }
  if (!env.DATABASE_URL) {
    lines.push(
      `  Data lies in ${env.DATA_DIR} in an embedded database, which is for trial and small sites:`,
      '  a power cut can lose its last moments. DATABASE_URL names a Postgres instead.',
    );
  }
  if (isLoopback(env.HOST) && !env.SERVER_ADDRESS) {
    lines.push(
      '  Only this machine can reach it now. From elsewhere, one of:',
      `  ssh -L ${env.PORT}:127.0.0.1:${env.PORT} YOU@THIS-MACHINE   then open the address above`,
      '  HOST=0.0.0.0 ./scripts/up   without encryption, so only in a network you trust',
      '  SITE=your.domain caddy run   https for the public, see Caddyfile',
    );
  }
  return `${lines.join('\n')}\n\n`;
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || parseAddress(host)?.range() === 'loopback';

function listeningAddresses(host: string, port: number): string[] {
  const everywhere = host === '0.0.0.0' || host === '::';
  const hosts = everywhere ? ['127.0.0.1', ...outerAddresses()] : [host];
  return hosts.map((one) => `http://${one.includes(':') ? `[${one}]` : one}:${port}`);
}

const outerAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter((address) => address.family === 'IPv4' && !address.internal)
    .map((address) => address.address);

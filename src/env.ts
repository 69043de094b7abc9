/**
 * The environment, read once and typed: the only reader of `process.env`. Empty counts as unset. A wrong value stops
 * the start with its name and what is wrong with it.
 */
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** `10.0.0.0/8,::1/128` as parsed ranges; a bare address is a range of one. */
export type Cidr = [ipaddr.IPv4 | ipaddr.IPv6, number];

export function parseCidrs(text: string): Cidr[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => {
      if (part.includes('/')) return ipaddr.parseCIDR(part);
      const address = ipaddr.parse(part);
      return [address, address.kind() === 'ipv4' ? 32 : 128];
    });
}

const cidrs = z.string().transform((text, ctx) => {
  try {
    return parseCidrs(text);
  } catch {
    ctx.addIssue({ code: 'custom', message: 'must be a comma list of networks like 10.0.0.0/8' });
    return z.NEVER;
  }
});

const url = (...schemes: string[]) =>
  z
    .string()
    .refine(
      (text) =>
        text === '' || (schemes.some((scheme) => text.startsWith(`${scheme}://`)) && URL.canParse(text)),
      {
        message: `must be an address that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
      },
    );

const integer = (least: number, most: number) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(least).max(most));

const secretKey = z.string().refine((text) => text === '' || Buffer.from(text, 'base64').length === 32, {
  message: 'must be 32 bytes in base64 (openssl rand -base64 32)',
});

/** Where a relayed call, or the crediting of a payment, may be told to die; those who do it place them. */
const FAILPOINTS = [
  'before_reserve',
  'after_reserve',
  'request_written',
  'upstream_headers',
  'first_content',
  'at_usage',
  'task_taken',
  'in_settle_commit',
  'after_settle',
  'movement_claimed',
  'in_movement_commit',
  'movement_committed',
] as const;
export type FailpointName = (typeof FAILPOINTS)[number];

/** `after_reserve` or, for the third hit, `after_reserve:3`. */
const killAt = z.string().transform((text, ctx): { name: FailpointName; nth: number } | null => {
  if (text === '') return null;
  const [, given, nth] = /^([a-z_]+)(?::([1-9]\d{0,8}))?$/.exec(text) ?? [];
  const name = FAILPOINTS.find((known) => known === given);
  if (name) return { name, nth: Number(nth ?? 1) };
  ctx.addIssue({
    code: 'custom',
    message: `must be one of ${FAILPOINTS.join(', ')}, with :n for the nth hit`,
  });
  return z.NEVER;
});

const schema = z.object({
  PORT: integer(1, 65_535).prefault('3000'),
  HOST: z.string().prefault('127.0.0.1'),
  DATA_DIR: z.string().prefault('./data'),
  DATABASE_URL: url('postgres', 'postgresql').prefault(''),
  REDIS_URL: url('redis', 'rediss').prefault(''),
  SERVER_ADDRESS: url('http', 'https')
    .transform((text) => text.replace(/\/+$/, ''))
    .prefault(''),
  SECRET_KEY: secretKey.prefault(''),
  TRUSTED_PROXIES: cidrs.prefault('127.0.0.1/32,::1/128'),
  PRIVATE_EGRESS: cidrs.prefault(''),
  WORKERS: integer(1, 64).prefault('1'),
  SETUP_TOKEN: z.string().prefault(''),
  METRICS_TOKEN: z.string().prefault(''),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).prefault('info'),
  SMTP_URL: url('smtp', 'smtps').prefault(''),
  SMS_URL: url('http', 'https').prefault(''),
  /** Another server in the place of Stripe's, for trials and tests. */
  STRIPE_API_BASE: url('http', 'https')
    .transform((text) => text.replace(/\/+$/, ''))
    .prefault(''),
  /** For tests only: kills the process at a failpoint. */
  TOLLGATE_KILL_AT: killAt.prefault(''),
});

export type Env = z.output<typeof schema>;

/** A start that cannot go on because of its surroundings; `main.ts` prints the message and exits with 1. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

export function readEnv(source: Record<string, string | undefined> = process.env): Env {
  const given = Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => (source[name] ? [[name, source[name]]] : [])),
  );
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new StartError(`The environment is wrong.\n${lines.join('\n')}`);
  }
  if (parsed.data.WORKERS > 1 && !parsed.data.DATABASE_URL) {
    throw new StartError('WORKERS: more than one worker needs Postgres, so DATABASE_URL must be set');
  }
  return parsed.data;
}

/** Bun holds outgoing calls at 256, and the rest waits unseen, unless this stands in the environment before it starts. */
const OUTGOING_CALLS_LEAST = 1_024;

/** Throws StartError when this process could make too few outgoing calls at once. */
export function requireOutgoingCalls(source: Record<string, string | undefined> = process.env): void {
  if (Number(source.BUN_CONFIG_MAX_HTTP_REQUESTS ?? 0) >= OUTGOING_CALLS_LEAST) return;
  throw new StartError(
    `BUN_CONFIG_MAX_HTTP_REQUESTS: must be at least ${OUTGOING_CALLS_LEAST}, or streams wait for one another. ./scripts/up sets it to 20000.`,
  );
}

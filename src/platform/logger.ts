/**
 * One JSON line an event on standard output. Secrets never get here on purpose; what slips into a text is cut out by
 * shape, because error texts of upstreams and drivers like to quote what they were given.
 */
import { DrizzleQueryError } from 'drizzle-orm/errors';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Record<string, unknown>;

/** What a request's line says. Never a query, a header or a body. */
export interface RequestFields extends LogFields {
  method: string;
  path: string;
  status: number;
  /** From the request's arrival to the end of its answer. */
  ms: number;
  request_id: string;
  ip: string;
  model?: string;
}

export interface Logger {
  /** The line of a finished request. Cheap: only path and model, which a caller writes, are searched for secrets. */
  request(fields: RequestFields): void;
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

const ORDER: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/** Keys, bearer values, key parameters and passwords inside addresses. */
const SECRET_SHAPES = [
  /\b(sk|pk|rk|key|token)-[A-Za-z0-9_-]{6,}/g,
  /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi,
  /([?&](?:key|api_key|token|access_token|secret|code)=)[^&\s"']+/gi,
  /(:\/\/[^:/\s]*:)[^@/\s]+(?=@)/g,
  /\bAIza[A-Za-z0-9_-]{20,}/g,
] as const;

/** What every one of those shapes holds: a text without it needs no closer look. */
const MAY_BE_SECRET = /(?:sk|pk|rk|key|token)-|bearer|basic|[?&]|:\/\/|AIza/i;

const TEXT_MAX = 4_000;
/** Of what a caller writes into every line: no path of ours is longer, nor may a model's name be. */
const CALLERS_TEXT_MAX = 300;

/** The text with everything that looks like a secret replaced, and cut to a bounded length. */
export function redact(text: string, most = TEXT_MAX): string {
  let clean = text.length > most ? `${text.slice(0, most)}…` : text;
  if (!MAY_BE_SECRET.test(clean)) return clean;
  for (const shape of SECRET_SHAPES) {
    clean = clean.replace(shape, (match, head: unknown) =>
      typeof head === 'string' && match.startsWith(head) && /[=:]$/.test(head) ? `${head}***` : '***',
    );
  }
  return clean;
}

/** A failed statement's message ends with its values: mailboxes, hashes of passwords, sealed keys. The statement will do. */
const messageOf = (error: Error): string =>
  error instanceof DrizzleQueryError ? `Failed query: ${error.query}` : error.message;

const errorFields = (error: Error): LogFields => ({
  name: error.name,
  message: messageOf(error),
  // It begins with the message.
  stack: error.stack?.replace(error.message, () => messageOf(error)),
  ...('code' in error ? { code: error.code } : {}),
  ...(error.cause
    ? { cause: error.cause instanceof Error ? errorFields(error.cause) : String(error.cause) }
    : {}),
});

const replacer = (_key: string, value: unknown): unknown => {
  if (value instanceof Error) return errorFields(value);
  if (typeof value === 'bigint') return value.toString();
  return typeof value === 'string' ? redact(value) : value;
};

/** Lines of one turn of the event loop go out in one write; what warns goes out at once, in order. */
export function gatheredOutput(write: (text: string) => void) {
  let waiting = '';
  const flush = () => {
    const text = waiting;
    waiting = '';
    if (text) write(text);
  };
  return {
    flush,
    line(text: string, urgent: boolean): void {
      if (!waiting && !urgent) setImmediate(flush);
      waiting += text;
      if (urgent) flush();
    },
  };
}

const standardOutput = gatheredOutput((text) => void process.stdout.write(text));
// What the last turn wrote.
process.on('exit', standardOutput.flush);

/** What JSON writes in another way than it stands: its quotes and backslashes, control characters, halves of pairs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has escapes for them.
const NEEDS_ESCAPE = /["\\\x00-\x1f\ud800-\udfff]/;

const textIn = (text: string): string => (NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`);

/** The line as `JSON.stringify` would write it, put together: every call has one, and nearly all in it is plain. */
export function requestLine(fields: RequestFields, time: string): string {
  let line = `{"time":"${time}","level":"info","event":"request"`;
  for (const name in fields) {
    const value = fields[name];
    if (typeof value === 'string') {
      line += `,"${name}":${textIn(name === 'path' || name === 'model' ? redact(value, CALLERS_TEXT_MAX) : value)}`;
    } else if (typeof value === 'number' && Number.isFinite(value)) {
      line += `,"${name}":${value}`;
    } else if (value !== undefined) {
      line += `,"${name}":${JSON.stringify(value)}`;
    }
  }
  return `${line}}\n`;
}

export function createLogger(
  least: LogLevel,
  write: (line: string, urgent: boolean) => void = standardOutput.line,
): Logger {
  const at =
    (level: LogLevel) =>
    (event: string, fields: LogFields = {}) => {
      if (ORDER[level] < ORDER[least]) return;
      const entry = { time: new Date().toISOString(), level, event, ...fields };
      write(`${JSON.stringify(entry, replacer)}\n`, ORDER[level] >= ORDER.warn);
    };
  return {
    request(fields) {
      if (ORDER.info >= ORDER[least]) write(requestLine(fields, new Date().toISOString()), false);
    },
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  };
}

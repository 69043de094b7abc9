/**
 * One JSON line an event on standard output. Secrets never get here on purpose; what slips into a text is cut out by
 * shape, because error texts of upstreams and drivers like to quote what they were given.
 */

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Record<string, unknown>;

export interface Logger {
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
  /(\b[a-z][a-z0-9+.-]*:\/\/[^:/\s]*:)[^@/\s]+(?=@)/gi,
  /\bAIza[A-Za-z0-9_-]{20,}/g,
] as const;

const TEXT_MAX = 4_000;

/** The text with everything that looks like a secret replaced, and cut to a bounded length. */
export function redact(text: string): string {
  let clean = text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
  for (const shape of SECRET_SHAPES) {
    clean = clean.replace(shape, (match, head: unknown) =>
      typeof head === 'string' && match.startsWith(head) && /[=:]$/.test(head) ? `${head}***` : '***',
    );
  }
  return clean;
}

const errorFields = (error: Error): LogFields => ({
  name: error.name,
  message: error.message,
  stack: error.stack,
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

export function createLogger(
  least: LogLevel,
  write: (line: string) => void = (line) => void process.stdout.write(line),
): Logger {
  const at =
    (level: LogLevel) =>
    (event: string, fields: LogFields = {}) => {
      if (ORDER[level] < ORDER[least]) return;
      write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields }, replacer)}\n`);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

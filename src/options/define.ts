/**
 * How an option is declared. One entry drives the stored row, the check of `PUT /api/option/`, the typed read, the
 * field on the settings page and, with `status`, a field of `GET /api/status`.
 */
import { z } from 'zod';
import { decimalOf } from '../core/decimal.ts';
import type { Locale, Text } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { repeatedName } from '../core/json-repeats.ts';
import type { OptionPanel } from '../core/option-panels.ts';
import type { Destination } from './destination.ts';
import { safeContent, safeHtml } from './html.ts';

/** Where the settings page draws it; none for keys whose feature is not built yet (stored and listed all the same). */
export interface Placement {
  panel: OptionPanel;
  block: string;
}

/** What is written in the place of a secret that stands at `at` and was given for `place`, where alone it may go. */
export type WritePart = (secret: string, at: string, place: string) => string;

/** What each is called, by what is stored. */
export type Choices<C extends string = string> = Readonly<Record<C, Text>>;

/** `S` is the name of its field of the status, `never` where it has none. */
export interface OptionSpec<T, S extends string = string> {
  readonly kind: 'boolean' | 'integer' | 'decimal' | 'text' | 'lines' | 'json' | 'choice';
  readonly default: T;
  /** The stored string → value; refuses with the reason (`refusal` makes one in both languages). */
  readonly schema: z.ZodType<T, string>;
  /** The value → the stored string, as the spec writes it (booleans 'true' and 'false'). */
  print(value: T): string;
  /** Sealed at rest and never sent back; an empty value on update keeps it. */
  readonly secret: boolean;
  /** Of a secret where it goes. */
  readonly destination?: Destination;
  /** Of a table whose rows have secrets: the value with what `write` makes of each. */
  parts?(value: T, write: WritePart): T;
  /** Field of the status object that carries the value. */
  readonly status?: S;
  readonly place?: Placement;
  readonly label: Text;
  readonly help?: Text;
  readonly min?: number;
  /** Of a number its largest value, of a text its most characters. */
  readonly max?: number;
  readonly choices?: Choices;
  /** Quota units: the page shows what they are in money. */
  readonly unit?: 'quota';
}

interface Common<S extends string> {
  label: Text;
  help?: Text;
  status?: S;
  place?: Placement;
  /** Makes it a secret, and tells where it goes: it has to be given again for another place. */
  secret?: Destination;
  unit?: 'quota';
}

const spec = <T, S extends string>(
  { secret: destination, ...common }: Common<S>,
  own: Omit<OptionSpec<T>, keyof Common<S> | 'secret' | 'destination'>,
): OptionSpec<T, S> => ({
  ...common,
  secret: destination !== undefined,
  ...(destination && { destination }),
  ...own,
});

/** The reason of a custom check, in both languages: `superRefine((v, ctx) => ctx.addIssue(refusal(…)))`. */
export const refusal = (zh: string, en: string, path: (string | number)[] = []) => ({
  code: 'custom' as const,
  path,
  params: { text: { zh, en } },
});

const textOf = (issue: z.core.$ZodIssue): Text | undefined =>
  issue.code === 'custom' ? (issue.params as { text?: Text } | undefined)?.text : undefined;

const UNFIT: Text = { zh: '格式不正确', en: 'it does not fit' };

/** What a schema found wrong, in words of ours: the library's name types of a programming language. */
function wordsOf(issue: z.core.$ZodIssue): Text {
  switch (issue.code) {
    case 'too_small':
      return bounded(issue.origin, issue.minimum, { zh: '不能小于', en: 'at least' });
    case 'too_big':
      return bounded(issue.origin, issue.maximum, { zh: '不能大于', en: 'at most' });
    case 'invalid_type':
      return TYPES[issue.expected] ?? UNFIT;
    case 'unrecognized_keys': {
      const names = issue.keys.join(', ');
      return { zh: `不认识的键：${names}`, en: `unknown keys: ${names}` };
    }
    case 'invalid_key': {
      const [reason] = issue.issues;
      return reason ? wordsOf(reason) : UNFIT;
    }
    case 'invalid_value': {
      const values = issue.values.map(String).join(', ');
      return { zh: `必须是以下之一：${values}`, en: `must be one of: ${values}` };
    }
    default:
      return UNFIT;
  }
}

const TYPES: Readonly<Record<string, Text>> = {
  string: { zh: '应为字符串', en: 'must be a string' },
  number: { zh: '应为数字', en: 'must be a number' },
  int: { zh: '应为整数', en: 'must be a whole number' },
  boolean: { zh: '应为布尔值', en: 'must be true or false' },
  array: { zh: '应为 JSON 数组', en: 'must be a JSON array' },
  object: { zh: '应为 JSON 对象', en: 'must be a JSON object' },
  record: { zh: '应为 JSON 对象', en: 'must be a JSON object' },
};

/** Of a text and a list what counts is how long they are. */
function bounded(origin: string, bound: number | bigint, how: Text): Text {
  const counted = COUNTED[origin];
  if (!counted) return { zh: `${how.zh} ${bound}`, en: `must be ${how.en} ${bound}` };
  const { zh, one, many } = counted;
  const en = Number(bound) === 1 ? one : many;
  return { zh: `${zh}数${how.zh} ${bound}`, en: `must have ${how.en} ${bound} ${en}` };
}

const COUNTED: Readonly<Record<string, { zh: string; one: string; many: string }>> = {
  string: { zh: '字符', one: 'character', many: 'characters' },
  array: { zh: '项', one: 'entry', many: 'entries' },
};

/** Where in a JSON text, and what. */
const reasonOf = (issues: readonly z.core.$ZodIssue[], locale: Locale): string =>
  issues
    .slice(0, 5)
    .map((issue) => [issue.path.join('.'), (textOf(issue) ?? wordsOf(issue))[locale]].filter(Boolean))
    .map((parts) => parts.join(locale === 'zh' ? '：' : ': '))
    .join(locale === 'zh' ? '；' : '; ');

type Read<T> = { ok: true; value: T } | { ok: false; reason: Text };

/**
 * The value of a stored text, or why it does not fit, in both languages. What an object has beyond its schema is passed
 * over: another version of the server may have written it, and the rest means what it says.
 */
export function readText<T>({ schema }: OptionSpec<T>, text: string): Read<T> {
  const parsed = schema.safeParse(text);
  if (parsed.success) return { ok: true, value: parsed.data };
  const known = withoutUnknown(text, parsed.error.issues);
  return known === null ? refused(parsed.error) : readAsIs(schema, known);
}

/** As `readText`, for a text that somebody writes now: what it has beyond the schema, or names twice, is not what was meant. */
export function readWritten<T>({ schema, kind }: OptionSpec<T>, text: string): Read<T> {
  const read = readAsIs(schema, text);
  const name = read.ok && kind === 'json' ? repeatedName(text) : null;
  if (name === null) return read;
  return { ok: false, reason: { zh: `键 ${name} 重复`, en: `the key ${name} stands there twice` } };
}

function readAsIs<T>(schema: OptionSpec<T>['schema'], text: string): Read<T> {
  const parsed = schema.safeParse(text);
  return parsed.success ? { ok: true, value: parsed.data } : refused(parsed.error);
}

const refused = ({ issues }: z.ZodError): { ok: false; reason: Text } => ({
  ok: false,
  reason: { zh: reasonOf(issues, 'zh'), en: reasonOf(issues, 'en') },
});

/** The JSON text without the keys that were not recognized; null where something else is wrong with it. */
function withoutUnknown(text: string, issues: readonly z.core.$ZodIssue[]): string | null {
  const unknown = issues.filter((issue) => issue.code === 'unrecognized_keys');
  if (unknown.length < issues.length) return null;
  const value: unknown = JSON.parse(text);
  for (const { path, keys } of unknown) {
    let at = value;
    for (const step of path) at = isObject(at) || Array.isArray(at) ? Reflect.get(at, step) : undefined;
    if (!isObject(at)) return null;
    for (const key of keys) delete at[key];
  }
  return JSON.stringify(value);
}

const matching = (pattern: RegExp, zh: string, en: string) =>
  z
    .string()
    .trim()
    .superRefine((text, ctx) => {
      if (!pattern.test(text)) ctx.addIssue(refusal(zh, en));
    });

/** A price that is 0 gives away what is sold. */
export const aboveZero: Text = { zh: '必须大于 0', en: 'must be above 0' };

/** JSON text → its value; with `exact` every number arrives as the text it was written as. */
const parsedJson = (exact: boolean) =>
  z.string().transform((text, ctx): unknown => {
    try {
      return JSON.parse(text, (_key, held: unknown, at?: { source?: string }) =>
        exact && typeof held === 'number' ? (at?.source ?? held) : held,
      );
    } catch {
      ctx.addIssue(refusal('不是合法的 JSON 字符串', 'not a valid JSON string'));
      return z.NEVER;
    }
  });

const printJson = (value: unknown): string => JSON.stringify(value, null, 2);

/** The largest ratio or price; beyond it is a slip of the hand. */
const RATIO_MAX = 1_000_000_000;

/** Model or group → number. The numbers are judged by their text, so that what is charged is what was typed. */
const ratioMap = z
  .record(z.string().min(1).max(200), z.string().or(z.number()))
  .transform((map, ctx): Record<string, number> => {
    const ratios: Record<string, number> = {};
    for (const [name, text] of Object.entries(map)) {
      if (decimalOf(text) === null || Number(text) > RATIO_MAX) {
        ctx.addIssue(
          refusal(
            `${name} 的值必须是 0 到 ${RATIO_MAX} 之间的数字，最多 12 位小数`,
            `the value of ${name} must be a number from 0 to ${RATIO_MAX} with at most 12 decimal places`,
          ),
        );
      } else ratios[name] = Number(text);
    }
    return ratios;
  });

/**
 * Made safe when it is read into the options in force, once a change: what is stored stays as the operator wrote it, and
 * stricter rules hold for what was stored before them.
 */
const shownText = <S extends string>(
  given: Common<S>,
  max: number,
  safe: (text: string) => string,
): OptionSpec<string, S> =>
  spec(given, {
    kind: 'text',
    default: '',
    max,
    schema: z.string().max(max).transform(safe),
    print: (text) => text,
  });

export const option = {
  boolean: <const S extends string = never>(
    given: Common<S> & { default: boolean },
  ): OptionSpec<boolean, S> =>
    spec(given, {
      kind: 'boolean',
      default: given.default,
      schema: matching(/^(true|false)$/, '必须是 true 或 false', 'must be true or false').transform(
        (text) => text === 'true',
      ),
      print: String,
    }),

  integer: <const S extends string = never>(
    given: Common<S> & { default: number; min?: number; max?: number },
  ): OptionSpec<number, S> => {
    const { min = 0, max = Number.MAX_SAFE_INTEGER } = given;
    return spec(given, {
      kind: 'integer',
      default: given.default,
      min,
      max,
      schema: matching(/^-?\d+$/, '必须是整数', 'must be a whole number')
        .transform(Number)
        .pipe(z.number().min(min).max(max)),
      print: String,
    });
  },

  /** `positive` refuses 0. */
  decimal: <const S extends string = never>(
    given: Common<S> & { default: number; min?: number; max?: number; positive?: true },
  ): OptionSpec<number, S> => {
    const { min = 0, max = 1e9, positive = false } = given;
    return spec(given, {
      kind: 'decimal',
      default: given.default,
      min,
      max,
      schema: matching(
        /^-?\d+(\.\d{1,12})?$/,
        '必须是数字，最多 12 位小数',
        'must be a number with at most 12 decimal places',
      )
        .transform(Number)
        .pipe(
          z
            .number()
            .min(min)
            .max(max)
            .superRefine((value, ctx) => {
              if (positive && value === 0) ctx.addIssue(refusal(aboveZero.zh, aboveZero.en));
            }),
        ),
      print: String,
    });
  },

  /** `check` answers the reason why a text is refused, or null. */
  text: <const S extends string = never>(
    given: Common<S> & { default?: string; max?: number; check?: (text: string) => Text | null },
  ): OptionSpec<string, S> =>
    spec(given, {
      kind: 'text',
      default: given.default ?? '',
      max: given.max ?? 10_000,
      schema: z
        .string()
        .max(given.max ?? 10_000)
        .superRefine((text, ctx) => {
          const reason = given.check?.(text);
          if (reason) ctx.addIssue(refusal(reason.zh, reason.en));
        }),
      print: (text) => text,
    }),

  /** HTML that visitors see. */
  html: <const S extends string = never>(given: Common<S> & { max?: number }): OptionSpec<string, S> =>
    shownText(given, given.max ?? 10_000, safeHtml),

  /** What the operator tells visitors: Markdown or HTML, or the address of a page to be shown in a frame. */
  content: <const S extends string = never>(given: Common<S>): OptionSpec<string, S> =>
    shownText(given, 100_000, safeContent),

  /** One entry a line. */
  lines: <const S extends string = never>(
    given: Common<S> & { default?: string[]; maxLines?: number; check?: (line: string) => Text | null },
  ): OptionSpec<string[], S> =>
    spec(given, {
      kind: 'lines',
      default: given.default ?? [],
      schema: z
        .string()
        .transform((text) =>
          text
            .split('\n')
            .map((line) => line.trim())
            .filter(Boolean),
        )
        .pipe(
          z
            .array(z.string().max(1_000))
            .max(given.maxLines ?? 10_000)
            .superRefine((lines, ctx) => {
              for (const line of lines) {
                const reason = given.check?.(line);
                if (reason) ctx.addIssue(refusal(reason.zh, reason.en));
              }
            }),
        ),
      print: (lines) => lines.join('\n'),
    }),

  choice: <C extends string, const S extends string = never>(
    given: Common<S> & { choices: Choices<C>; default: NoInfer<C> },
  ): OptionSpec<C, S> => {
    const isChoice = (text: string): text is C => Object.hasOwn(given.choices, text);
    return spec(given, {
      kind: 'choice',
      default: given.default,
      choices: given.choices,
      schema: z.string().transform((text, ctx): C => {
        if (isChoice(text)) return text;
        const list = Object.keys(given.choices).join(', ');
        ctx.addIssue(refusal(`必须是以下之一：${list}`, `must be one of: ${list}`));
        return z.NEVER;
      }),
      print: (value) => value,
    });
  },

  /** JSON text whose parsed value fits `shape`; the operator's own text is what is stored. */
  json: <T, const S extends string = never>(
    given: Common<S> & Pick<OptionSpec<T>, 'parts'> & { default: T; shape: z.ZodType<T> },
  ): OptionSpec<T, S> =>
    spec<T, S>(given, {
      kind: 'json',
      default: given.default,
      schema: parsedJson(false).pipe(given.shape),
      print: printJson,
      ...(given.parts && { parts: given.parts }),
    }),

  /** JSON map of names to non-negative numbers of at most 12 decimal places. `check` judges the names. */
  ratios: <const S extends string = never>(
    given: Common<S> & {
      default: Record<string, number>;
      check?: (ratios: Record<string, number>) => Text | null;
    },
  ): OptionSpec<Record<string, number>, S> =>
    spec<Record<string, number>, S>(given, {
      kind: 'json',
      default: given.default,
      schema: parsedJson(true).pipe(
        ratioMap.superRefine((ratios, ctx) => {
          const reason = given.check?.(ratios);
          if (reason) ctx.addIssue(refusal(reason.zh, reason.en));
        }),
      ),
      print: printJson,
    }),
};

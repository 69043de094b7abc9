/**
 * How an option is declared. One entry drives the stored row, the check of `PUT /api/option/`, the typed read, the
 * field on the settings page and, with `status`, a field of `GET /api/status`.
 */
import { z } from 'zod';

/** Where the settings page draws it; none for keys whose feature is not built yet (stored and listed all the same). */
export interface Placement {
  panel: 'operation' | 'visual' | 'ratelimit' | 'models' | 'system' | 'other' | 'request_quota' | 'aff_quota';
  block: string;
}

export interface OptionText {
  zh: string;
  en: string;
}

export interface OptionSpec<T> {
  readonly kind: 'boolean' | 'integer' | 'decimal' | 'text' | 'lines' | 'json' | 'choice';
  readonly default: T;
  /** The stored string → value; refuses with the reason. */
  readonly schema: z.ZodType<T, string>;
  /** The value → the stored string, as the spec writes it (booleans 'true' and 'false'). */
  print(value: T): string;
  /** Never sent back; an empty value on update keeps it. */
  readonly secret: boolean;
  /** Field of the status object that carries the value. */
  readonly status?: string;
  readonly place?: Placement;
  readonly label: OptionText;
  readonly help?: OptionText;
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
}

interface Common {
  label: OptionText;
  help?: OptionText;
  status?: string;
  place?: Placement;
  secret?: boolean;
}

const spec = <T>(common: Common, own: Omit<OptionSpec<T>, keyof Common | 'secret'>): OptionSpec<T> => ({
  ...common,
  secret: common.secret ?? false,
  ...own,
});

export const option = {
  boolean: (given: Common & { default: boolean }): OptionSpec<boolean> =>
    spec(given, {
      kind: 'boolean',
      default: given.default,
      schema: z.enum(['true', 'false']).transform((text) => text === 'true'),
      print: String,
    }),

  integer: (given: Common & { default: number; min?: number; max?: number }): OptionSpec<number> => {
    const { min = 0, max = Number.MAX_SAFE_INTEGER } = given;
    return spec(given, {
      kind: 'integer',
      default: given.default,
      min,
      max,
      schema: z
        .string()
        .trim()
        .regex(/^-?\d+$/, 'must be a whole number')
        .transform(Number)
        .pipe(z.number().min(min).max(max)),
      print: String,
    });
  },

  decimal: (given: Common & { default: number; min?: number; max?: number }): OptionSpec<number> => {
    const { min = 0, max = 1e9 } = given;
    return spec(given, {
      kind: 'decimal',
      default: given.default,
      min,
      max,
      schema: z
        .string()
        .trim()
        .regex(/^-?\d+(\.\d+)?$/, 'must be a number')
        .transform(Number)
        .pipe(z.number().min(min).max(max)),
      print: String,
    });
  },

  text: (
    given: Common & { default?: string; max?: number; check?: (text: string) => string | null },
  ): OptionSpec<string> =>
    spec(given, {
      kind: 'text',
      default: given.default ?? '',
      schema: z
        .string()
        .max(given.max ?? 10_000)
        .superRefine((text, ctx) => {
          const reason = given.check?.(text);
          if (reason) ctx.addIssue({ code: 'custom', message: reason });
        }),
      print: (text) => text,
    }),

  /** One entry a line. */
  lines: (given: Common & { default?: string[]; maxLines?: number }): OptionSpec<string[]> =>
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
        .pipe(z.array(z.string().max(1_000)).max(given.maxLines ?? 10_000)),
      print: (lines) => lines.join('\n'),
    }),

  choice: <const C extends readonly string[]>(
    given: Common & { choices: C; default: C[number] },
  ): OptionSpec<C[number]> =>
    spec(given, {
      kind: 'choice',
      default: given.default,
      choices: given.choices,
      schema: z.enum(given.choices as unknown as [string, ...string[]]) as unknown as z.ZodType<
        C[number],
        string
      >,
      print: (value) => value,
    }),

  /** JSON text whose parsed value fits `shape`; the operator's own text is what is stored. */
  json: <T>(given: Common & { default: T; shape: z.ZodType<T> }): OptionSpec<T> =>
    spec(given, {
      kind: 'json',
      default: given.default,
      schema: z.string().transform((text, ctx): T => {
        let value: unknown;
        try {
          value = JSON.parse(text);
        } catch {
          ctx.addIssue({ code: 'custom', message: 'not a valid JSON string' });
          return z.NEVER;
        }
        const parsed = given.shape.safeParse(value);
        if (parsed.success) return parsed.data;
        for (const issue of parsed.error.issues) {
          ctx.addIssue({
            code: 'custom',
            message: [issue.path.join('.'), issue.message].filter(Boolean).join(': '),
          });
        }
        return z.NEVER;
      }),
      print: (value) => JSON.stringify(value, null, 2),
    }),
};

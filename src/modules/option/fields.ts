/** What the settings page draws of a panel: one declaration of the registry makes one field. */
import type { Locale } from '../../core/errors.ts';
import type { OptionSpec, Placement } from '../../options/define.ts';
import { type OptionKey, optionKeys, specOf } from '../../options/registry.ts';
import { shownText } from '../../options/secret-parts.ts';
import type { Options } from '../../options/store.ts';

export interface OptionField {
  key: OptionKey;
  panel: Placement['panel'];
  /** The heading it stands under. */
  block: string;
  kind: OptionSpec<unknown>['kind'];
  /** In the caller's language. */
  label: string;
  help?: string;
  /** As text; secrets in it are empty. */
  value: string;
  /** The text of the default, where the value is another one. */
  default?: string;
  /** True when the operator has set it. */
  is_set: boolean;
  secret: boolean;
  /** The secret that goes to the address which this option forms, also of that secret itself: they are sent together. */
  with_secret?: OptionKey;
  min?: number;
  max?: number;
  choices?: readonly { value: string; label: string }[];
  unit?: 'quota';
}

/** The fields of one panel, or of all, in the order of their declaration. Options that no page draws yet are not among them. */
export const fieldsOf = (
  options: Options,
  panel: Placement['panel'] | undefined,
  locale: Locale,
): OptionField[] =>
  optionKeys.flatMap((key) => {
    const spec = specOf(key);
    const isWanted = spec.place && (panel === undefined || spec.place.panel === panel);
    return isWanted ? [fieldOf(options, key, spec, spec.place, locale)] : [];
  });

/** By the options that form an address, and by the secret that goes there. */
const secretWith: ReadonlyMap<string, OptionKey> = new Map(
  optionKeys.flatMap((secret) => {
    const formedBy = specOf(secret).destination?.formedBy ?? [];
    return formedBy.length === 0 ? [] : [...formedBy, secret].map((key) => [key, secret] as const);
  }),
);

function fieldOf(
  options: Options,
  key: OptionKey,
  spec: OptionSpec<unknown>,
  place: Placement,
  locale: Locale,
): OptionField {
  const { kind, secret, label, help, min, max, choices, unit } = spec;
  const isSet = options.isSet(key);
  const withSecret = secretWith.get(key);
  return {
    key,
    ...place,
    kind,
    label: label[locale],
    ...(help && { help: help[locale] }),
    value: shownText(spec, options.text(key)),
    ...(isSet && !secret && { default: spec.print(spec.default) }),
    is_set: isSet,
    secret,
    ...(withSecret && { with_secret: withSecret }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(choices && {
      choices: Object.entries(choices).map(([value, text]) => ({ value, label: text[locale] })),
    }),
    ...(unit && { unit }),
  };
}

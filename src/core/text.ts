/** Texts of the gateway in the languages of its readers, and what may stand in their holes. */

export type Locale = 'zh' | 'en';

/** A text in both languages of the console. */
export type Text = { readonly zh: string; readonly en: string };

/** What is the same in every language: a name, an address, what somebody else wrote. */
export interface AsIs {
  readonly asIs: string;
}

/** Words of ours are a Text: a literal is refused here, so that none of them stays in one language. */
export const asIs = <T extends string>(text: T & (string extends T ? unknown : never)): AsIs => ({
  asIs: text,
});

export type Filling = number | Text | AsIs;
export type Fillings = Readonly<Record<string, Filling>>;

const filling = (value: Filling | undefined, locale: Locale): string => {
  if (value === undefined) return '';
  if (typeof value === 'number') return String(value);
  return 'asIs' in value ? value.asIs : value[locale];
};

const HAN = /\p{Script=Han}/u;

/**
 * `{name}` in a text is filled from `values`. Chinese has blanks around a hole for the names that are spelled in Latin;
 * between two Chinese words they go.
 */
export const fill = (text: Text, values: Fillings, locale: Locale): string =>
  text[locale].replace(
    /( ?)\{(\w+)\}( ?)/g,
    (hole: string, before: string, name: string, after: string, at: number, whole: string) => {
      const value = filling(values[name], locale);
      const joins = (beside: string | undefined, edge: string | undefined) =>
        HAN.test(beside ?? '') && HAN.test(edge ?? '');
      const head = joins(whole[at - 1], value[0]) ? '' : before;
      const tail = joins(whole[at + hole.length], value.at(-1)) ? '' : after;
      return head + value + tail;
    },
  );

/** The same in both languages. */
export const filled = (text: Text, values: Fillings): Text => ({
  zh: fill(text, values, 'zh'),
  en: fill(text, values, 'en'),
});

/** Several texts one after the other, as each language lists them. */
export const listed = (texts: readonly Text[]): Text => ({
  zh: texts.map(({ zh }) => zh).join('、'),
  en: texts.map(({ en }) => en).join(', '),
});

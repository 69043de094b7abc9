/** What a Gemini model understands, told from its name. */

export interface ModelTraits {
  /** Thinks by levels, wants the signatures of calls back, and takes its own tools beside functions, and files in results. */
  levels: boolean;
  /** Thinks by a budget of tokens. */
  budgets: boolean;
  /** Takes no budget in place of a level any more. */
  levelsAlone: boolean;
  /** Cannot be kept from thinking, and knows fewer levels. */
  pro: boolean;
  /** Knows a level below the low one: the smallest models, and Flash up to 3.6. */
  minimal: boolean;
  /** Knows a level between the ends, as all but the first that thinks by levels. */
  middle: boolean;
}

const PRO = /pro|argon/;
const LATEST = /gemini-.*latest/;

export function traitsOf(model: string): ModelTraits {
  const version = Number(/gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? (LATEST.test(model) ? 3 : 0));
  return {
    levels: version >= 3,
    budgets: version >= 2.5 && version < 3,
    levelsAlone: version >= 4,
    pro: PRO.test(model),
    minimal: !PRO.test(model) && (model.includes('lite') || (version < 3.7 && !LATEST.test(model))),
    middle: !/gemini-3(\.0)?-pro/.test(model),
  };
}

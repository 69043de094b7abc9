/** What a Claude model understands, told from its name. Requests of other dialects are written for what the model takes. */

export interface ModelTraits {
  /** Decides itself how much to think, led by an effort. */
  adaptive: boolean;
  /** Knows no thinking budget and no sampling any more. */
  adaptiveOnly: boolean;
  /** Holds its answer and its tool calls to a JSON schema. */
  structured: boolean;
}

const NEW_NAME = /claude-(?:opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;
const OLD_NAME = /claude-(\d)(?:[-.](\d))?-(?:opus|sonnet|haiku)/;

/** Other makers' models behind this wire know budgets, but neither efforts nor schemas. */
export function traitsOf(model: string): ModelTraits {
  const [, major, minor] = NEW_NAME.exec(model) ?? OLD_NAME.exec(model) ?? [];
  const version = Number(major ?? 0) + Number(minor ?? 0) / 100;
  return {
    adaptive: version >= 4.06,
    adaptiveOnly: version >= 4.07,
    structured: version >= 4.05 || (version >= 4.01 && model.includes('opus')),
  };
}

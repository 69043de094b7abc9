/**
 * Families of models by their names, each said once. What a table tells of single models (contexts, pictures, thinkers)
 * stands in that table.
 */

/** A name without the makers and accounts before it: `openai/gpt-5` is `gpt-5`. */
export const bareName = (model: string): string => model.slice(model.lastIndexOf('/') + 1);

/** The same as those differ who serve it: in small letters, and with dashes where some write dots. */
export const plainName = (model: string): string => bareName(model).toLowerCase().replaceAll('.', '-');

/** OpenAI's reasoning models, as a part of an expression: the o series, and GPT from 5 on. */
export const OPENAI_REASONERS = '(?:o\\d|gpt-[5-9])';

const REASONS = new RegExp(`^${OPENAI_REASONERS}`);
const SERIES = /^(?:o\d|gpt-\d)/;
const OPENAIS = /^(gpt|chatgpt|o\d|whisper)/;

// All of these take a bare name.
export const isOpenAiReasoner = (name: string): boolean => REASONS.test(name);
/** `o3` of `o3-mini`, `gpt-5` of `gpt-5.1`; undefined of any other. */
export const openAiSeries = (name: string): string | undefined => SERIES.exec(name)?.[0];
export const isOpenAis = (name: string): boolean => OPENAIS.test(name);
export const isGemini = (name: string): boolean => name.startsWith('gemini');

/**
 * What OpenAI's thinking models take, by their versions and by how much they are to think (developers.openai.com/api/docs:
 * Models, and the deployment checklist). Versions to come do as those before them.
 */
import { bareName, isCodexOrPro, isOpenAiThinker } from './model-families.ts';

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

type Version = readonly [major: number, minor: number];

/** The series before GPT's have none. */
const BEFORE_GPT: Version = [0, 0];
const GPT = /^gpt-(\d+)(?:\.(\d+))?/;

/** Null for what is no thinker of OpenAI's. */
function versionOf(model: string): Version | null {
  const name = bareName(model);
  if (!isOpenAiThinker(name)) return null;
  const [, major, minor = '0'] = GPT.exec(name) ?? [];
  return major === undefined ? BEFORE_GPT : [Number(major), Number(minor)];
}

const reaches = ([major, minor]: Version, [first, second]: Version): boolean =>
  major > first || (major === first && minor >= second);

/** Whether it is a thinker of OpenAI's of this version or a later one. */
export function isThinkerFrom(model: string, first: Version): boolean {
  const version = versionOf(model);
  return version !== null && reaches(version, first);
}

/** Before it nobody could be kept from thinking, and it knew an effort of its own for that. */
const FIRST: Version = [5, 0];
/** From it on they think nothing unless they are told to, */
const TOLD_TO: Version = [5, 1];
/** and from it on again unless they are told not to. */
const TOLD_NOT: Version = [5, 5];
const WITH_XHIGH: Version = [5, 2];
const WITH_MAX: Version = [5, 6];

/** From it on they cannot be kept from it, and refuse to be told, */
const ALWAYS: Version = [6, 2];
/** and so did these before. */
const FIRST_ALWAYS = /^gpt-6(?:\.1)?-astra|^gpt-6\.1-sol/;

function alwaysThinks(model: string, version: Version): boolean {
  const name = bareName(model);
  return reaches(version, ALWAYS) || FIRST_ALWAYS.test(name) || isCodexOrPro(name);
}

/** The one of its version that knew it before the others. */
const FIRST_WITH_XHIGH = 'codex-max';

/** The nearest effort that a model takes: they know fewer the older they are, and each its own least. */
export function effortFor(effort: Effort, model: string): Effort {
  const version = versionOf(model);
  if (!version) return effort;
  const canRest = reaches(version, FIRST) && !alwaysThinks(model, version);
  const isFirst = canRest && !reaches(version, TOLD_TO);
  switch (effort) {
    case 'none':
      return isFirst ? 'minimal' : canRest ? effort : 'low';
    case 'minimal':
      return isFirst ? effort : 'low';
    case 'max':
      if (reaches(version, WITH_MAX)) return effort;
      return effortFor('xhigh', model);
    case 'xhigh':
      return reaches(version, WITH_XHIGH) || model.includes(FIRST_WITH_XHIGH) ? effort : 'high';
    default:
      return effort;
  }
}

/** Whether it takes words to stop at: none does since o3, "Unsupported parameter: 'stop' is not supported with this model". */
export function takesStops(model: string): boolean {
  const version = versionOf(model);
  return !version || (!reaches(version, FIRST) && !SINCE_O3.test(bareName(model)));
}
const SINCE_O3 = /^o[3-9]/;

/** Whether it thinks as it is asked to; of undefined, as it does by itself. False of models that are no thinkers of OpenAI's. */
export function thinksAt(model: string, effort: Effort | undefined): boolean {
  const version = versionOf(model);
  if (!version) return false;
  if (effort !== undefined) return effortFor(effort, model) !== 'none';
  return !reaches(version, TOLD_TO) || reaches(version, TOLD_NOT) || alwaysThinks(model, version);
}

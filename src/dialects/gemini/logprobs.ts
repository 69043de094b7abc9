/** Log probabilities, which the neutral model keeps as OpenAI's chat wire writes them. */
import type { JsonObject } from '../../core/json.ts';
import { numberOf, objectOf, objectsOf, textOf } from '../fields.ts';

const readToken = (candidate: JsonObject): JsonObject => {
  const token = textOf(candidate.token) ?? '';
  return { token, logprob: numberOf(candidate.logProbability) ?? 0, bytes: [...Buffer.from(token)] };
};

export function readLogprobs(result: unknown): JsonObject | undefined {
  const given = objectOf(result);
  if (!given) return undefined;
  const tops = objectsOf(given.topCandidates);
  const content = objectsOf(given.chosenCandidates).map((chosen, n) => ({
    ...readToken(chosen),
    top_logprobs: objectsOf(tops[n]?.candidates).map(readToken),
  }));
  return { content, refusal: null };
}

const writeToken = (token: JsonObject): JsonObject => ({
  token: textOf(token.token) ?? '',
  logProbability: numberOf(token.logprob) ?? 0,
});

export function writeLogprobs(logprobs: JsonObject | undefined): JsonObject | undefined {
  const content = objectsOf(logprobs?.content);
  if (content.length === 0) return undefined;
  return {
    topCandidates: content.map((token) => ({ candidates: objectsOf(token.top_logprobs).map(writeToken) })),
    chosenCandidates: content.map(writeToken),
  };
}

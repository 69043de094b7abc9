/** Whole answers of generateContent from and into the neutral model. */
import { innerObject } from '../../core/inner-json.ts';
import type { JsonObject } from '../../core/json.ts';
import { joinedText } from '../accumulate.ts';
import { answerIds, type CallIds, fingerprint } from '../call-ids.ts';
import type { ReplyContext } from '../codec.ts';
import type { UpstreamErrorBody } from '../dialect.ts';
import { compact, fieldsBut, numberOf, objectOf, objectsOf, textOf, writtenSec } from '../fields.ts';
import type { ChatReply, Choice, Part } from '../neutral.ts';
import { readStop, writeStop } from '../stop-words.ts';
import { Grounding, readCitations, shifted } from './citations.ts';
import { CodeOutput } from './code-output.ts';
import { readLogprobs, writeLogprobs } from './logprobs.ts';
import { bareModel } from './names.ts';
import { readAnswered } from './read-parts.ts';
import { geminiStops } from './stops.ts';
import { readUsage, writeUsage } from './usage.ts';
import { writeParts } from './write-parts.ts';

const KNOWN = new Set(['candidates', 'usageMetadata', 'modelVersion', 'responseId', 'createTime']);

/** An answer to a blocked prompt has no choices; `readBlock` reads why. */
export function readReply(body: JsonObject): ChatReply {
  const candidates = objectsOf(body.candidates);
  const id = textOf(body.responseId) ?? '';
  const ids = answerIds(id || fingerprint(candidates));
  return compact<ChatReply>({
    dialect: 'gemini',
    id,
    model: bareModel(textOf(body.modelVersion) ?? ''),
    created: writtenSec(body.createTime),
    choices: candidates.map((candidate, n) => readCandidate(candidate, n, ids)),
    usage: readUsage(body.usageMetadata),
    extra: fieldsBut(body, KNOWN),
  });
}

export const blockReason = (body: JsonObject): string | undefined =>
  textOf(objectOf(body.promptFeedback)?.blockReason);

/** A prompt that was blocked, as an error: it fails alike wherever it is tried again. Null for any other answer. */
export function readBlock(body: JsonObject): (UpstreamErrorBody & { status: number }) | null {
  const reason = blockReason(body);
  if (reason === undefined || objectsOf(body.candidates).length > 0) return null;
  const message = `The request was blocked by the upstream service: ${reason}`;
  return { message, code: 'content_filter', status: 400 };
}

function readCandidate(candidate: JsonObject, n: number, ids: CallIds): Choice {
  const code = new CodeOutput();
  const parts = objectsOf(objectOf(candidate.content)?.parts)
    .map((part) => readAnswered(part, ids, code))
    .filter(saysSomething);
  cite(parts, candidate);
  const rawStop = textOf(candidate.finishReason);
  const callsTools = parts.some((part) => part.type === 'tool-call');
  return compact<Choice>({
    index: numberOf(candidate.index) ?? n,
    parts,
    stop: rawStop === undefined ? null : readStop(geminiStops, rawStop, callsTools),
    rawStop,
    logprobs: readLogprobs(candidate.logprobsResult),
  });
}

const saysSomething = (part: Part): boolean =>
  part.type !== 'text' || part.text !== '' || part.signature !== undefined;

/** Puts each citation on the text part that it speaks of; offsets run through all text of the answer. */
function cite(parts: Part[], candidate: JsonObject): void {
  let from = 0;
  const citations = readCitations(candidate, joinedText(parts));
  for (const part of parts) {
    if (part.type !== 'text' || citations.length === 0) continue;
    const to = from + part.text.length;
    const here = citations.filter(({ start = 0 }) => start >= from && start < to);
    if (here.length > 0) {
      part.citations = here.map((citation) => shifted(citation, from));
    }
    from = to;
  }
}

export function writeReply(reply: ChatReply, context: ReplyContext): JsonObject {
  const own = reply.dialect === 'gemini';
  return compact<JsonObject>({
    candidates: reply.choices.map((choice) => writeChoice(choice, own)),
    usageMetadata: reply.usage ? writeUsage(reply.usage) : undefined,
    modelVersion: context.model,
    responseId: reply.id || context.requestId,
    ...(own && reply.extra),
  });
}

function writeChoice(choice: Choice, own: boolean): JsonObject {
  const parts = writeParts(choice.parts, {
    forModel: false,
    filesInResults: true,
    own,
    objectIn: innerObject,
    drop: () => undefined,
  });
  return compact<JsonObject>({
    content: { parts: parts.length > 0 ? parts : [{ text: '' }], role: 'model' },
    finishReason: choice.stop ? writeStop(geminiStops, choice.stop) : undefined,
    index: choice.index,
    groundingMetadata: groundingOf(choice.parts),
    logprobsResult: writeLogprobs(choice.logprobs),
  });
}

function groundingOf(parts: readonly Part[]): JsonObject | undefined {
  const grounding = new Grounding();
  let bytes = 0;
  for (const part of parts) {
    if (part.type !== 'text') continue;
    for (const citation of part.citations ?? []) grounding.add(citation, part.text, bytes);
    bytes += Buffer.byteLength(part.text);
  }
  return grounding.metadata;
}

/** Google's generateContent, as AI Studio and Vertex speak it. Its paths name the model and whether the answer streams. */

import { isObject, type JsonObject } from '../../core/json.ts';
import { geminiTools } from '../asked-tools.ts';
import { type CallersDialect, OPAQUE } from '../body-rules.ts';
import { isCarried } from '../carried.ts';
import { objectOf, objectsOf } from '../fields.ts';
import { knownOfGemini } from '../hosted-tools.ts';
import { namesRead } from '../other-texts.ts';
import { errorBody, errorFrame } from './errors.ts';
import { modelCards } from './model-cards.ts';
import { camelFields, LISTS, TWINS } from './names.ts';
import { GEMINI_READS } from './reads.ts';
import { readBlock } from './reply.ts';
import { GeminiTap, readReplyFacts } from './reply-facts.ts';
import { addSystem, promptTexts, readRequestFacts, withOutputCap } from './request-facts.ts';
import { writeWish } from './thinking.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    gemini: true;
  }
}

/**
 * Everything but what the path says, and what answers of other makers left in the history: thoughts that no signature of
 * Google's proves, and turns of nothing else. What came in two spellings goes up in the one that was read and priced.
 */
function forward(given: JsonObject): JsonObject {
  const { model: _, stream: __, ...body } = camelFields(given);
  const config = objectOf(body.generationConfig);
  if (config) body.generationConfig = camelFields(config);
  const { contents } = body;
  if (!Array.isArray(contents)) return body;
  return {
    ...body,
    contents: contents.flatMap((content) => {
      if (!isObject(content) || !objectsOf(content.parts).some(isForeign)) return [content];
      const parts = objectsOf(content.parts).filter((part) => !isForeign(part));
      return parts.length > 0 ? [{ ...content, parts }] : [];
    }),
  };
}

const isForeign = (part: JsonObject): boolean => isCarried(part.thoughtSignature ?? part.thought_signature);

export const gemini: CallersDialect = {
  id: 'gemini',
  isClient: (path, headers) => path.startsWith('/v1beta/') || headers.has('x-goog-api-key'),
  rules: {
    caps: ['max_output_tokens', 'candidate_count'],
    own: namesRead(GEMINI_READS),
    twins: TWINS,
    lists: LISTS,
    opaque: [
      ...OPAQUE,
      'args',
      'partial_args',
      'response',
      'parameters',
      'parameters_json_schema',
      'response_schema',
      'response_json_schema',
      'labels',
    ],
  },
  reads: GEMINI_READS,
  readRequest: readRequestFacts,
  paidTools: geminiTools,
  knownTool: knownOfGemini,
  writeWish,
  promptTexts,
  addSystem,
  withOutputCap,
  forward,
  readReply: readReplyFacts,
  readRefusal: (body) => (isObject(body) ? readBlock(body as JsonObject) : null),
  tap: (request) => new GeminiTap(request),
  endMarker: null,
  modelCards,
  // No keepAlive: Google's clients for Python and Go fail at a comment, and older ones for JavaScript at an empty line.
  streamContentType: 'text/event-stream',
  streamsJson: true,
  errorBody,
  errorFrame,
};

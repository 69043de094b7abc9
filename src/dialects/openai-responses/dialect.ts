/** OpenAI's Responses, as callers and some upstreams speak it. */

import type { JsonObject } from '../../core/json.ts';
import { named } from '../account.ts';
import { responsesTools, withCallLimit } from '../asked-tools.ts';
import { type CallersDialect, OPAQUE } from '../body-rules.ts';
import type { ForwardSettings } from '../dialect.ts';
import { KEEP_ALIVE } from '../frames.ts';
import { knownOfResponses } from '../hosted-tools.ts';
import { STRANGE_CONTAINERS } from '../named-containers.ts';
import { namesRead } from '../other-texts.ts';
import { inOwnWords } from './chat-fields.ts';
import { errorBody, errorFrame } from './errors.ts';
import { isForeign } from './read-parts.ts';
import { RESPONSES_READS } from './reads.ts';
import { ResponseStreamTap, readReplyFacts } from './reply-facts.ts';
import { addSystem, promptTexts, readRequestFacts, withOutputCap } from './request-facts.ts';
import { writeWish } from './thinking.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    'openai-responses': true;
  }
}

function forward(body: JsonObject, { model, stream }: ForwardSettings): JsonObject {
  const copy: JsonObject = { ...body, model };
  if (Array.isArray(body.input) && body.input.some(isForeign)) {
    copy.input = body.input.filter((item) => !isForeign(item));
  }
  if (stream) copy.stream = true;
  else delete copy.stream;
  return copy;
}

export const openaiResponses: CallersDialect = {
  id: 'openai-responses',
  path: '/v1/responses',
  rules: {
    caps: ['max_output_tokens'],
    own: namesRead(RESPONSES_READS),
    opaque: [
      ...OPAQUE,
      'parameters',
      'schema',
      'input_schema',
      'arguments',
      'variables',
      'attributes',
      'env',
      'metadata',
      // What clients tell of themselves: Codex names its thread, its session and its window there.
      'client_metadata',
      'annotations',
    ],
    // An earlier answer, and a container of one, is asked of the channel that gave it; a profile is Perplexity's, of settings that an account keeps.
    kept: { prompt: named, profile: named, previous_response_id: false, ...STRANGE_CONTAINERS },
  },
  reads: RESPONSES_READS,
  readRequest: readRequestFacts,
  paidTools: responsesTools,
  knownTool: knownOfResponses,
  writeWish,
  inOwnWords,
  withToolLimits: withCallLimit,
  promptTexts,
  addSystem,
  withOutputCap,
  forward,
  readReply: readReplyFacts,
  tap: () => new ResponseStreamTap(),
  endMarker: null,
  keepAlive: KEEP_ALIVE,
  streamContentType: 'text/event-stream',
  errorBody,
  errorFrame,
};

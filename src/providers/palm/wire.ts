/** Google's PaLM 2 `generateMessage`: authors "0" and "1", no streams, no usage. */
import type { RequestTarget } from '../../dialects/codec.ts';
import { compact, objectOf, objectsOf, textOf } from '../../dialects/fields.ts';
import type { ChatReply, ChatRequest } from '../../dialects/neutral.ts';
import { plainTurns, reportDropped, type VendorWire } from '../vendor-wire.ts';

function writeRequest(request: ChatRequest, target: RequestTarget) {
  const { system, turns } = plainTurns(request, 'PaLM');
  reportDropped(request, ['temperature', 'topP', 'topK', 'choices'], target);
  return compact({
    prompt: compact({
      context: system || undefined,
      messages: turns.map(({ role, text: content }) => ({ author: role === 'user' ? '0' : '1', content })),
    }),
    temperature: request.temperature,
    candidateCount: request.choices,
    topP: request.topP,
    topK: request.topK,
  });
}

function readReply(body: Record<string, unknown>): ChatReply {
  return {
    id: '',
    model: '',
    created: 0,
    choices: objectsOf(body.candidates).map((candidate, index) => ({
      index,
      parts: [{ type: 'text', text: textOf(candidate.content) ?? '' }],
      stop: 'stop',
    })),
    usage: null,
    extra: {},
  };
}

function readError(body: unknown): ReturnType<VendorWire['readError']> {
  const answer = objectOf(body) ?? {};
  const error = objectOf(answer.error) ?? {};
  const message = textOf(error.message);
  if (message) {
    const status = typeof error.code === 'number' ? error.code : 502;
    return {
      error: {
        message,
        type: textOf(error.status) ?? '',
        code: String(error.code),
      },
      status,
    };
  }
  if (objectsOf(answer.candidates).length > 0) return null;
  const reasons = objectsOf(answer.filters)
    .map((filter) => textOf(filter.reason) ?? '')
    .join(', ');
  return {
    error: { message: `no candidates${reasons ? `: ${reasons}` : ''}`, type: 'palm_error' },
    status: 502,
  };
}

export const palmWire: VendorWire = {
  id: 'palm',
  writeRequest,
  readReply,
  // The service has no streams: a whole answer is turned into one by the relay.
  streamReader: () => ({ push: () => [], end: () => [] }),
  readError,
};

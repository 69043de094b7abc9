/** Google's PaLM 2 `generateMessage`: authors "0" and "1", no streams, no usage. */
import type { RequestTarget } from '../../dialects/codec.ts';
import type { ChatReply, ChatRequest } from '../../dialects/neutral.ts';
import { list, object, plainTurns, present, reportDropped, text, type VendorWire } from '../vendor-wire.ts';

function writeRequest(request: ChatRequest, target: RequestTarget) {
  const { system, turns } = plainTurns(request, 'PaLM');
  reportDropped(request, ['temperature', 'topP', 'topK', 'choices'], target.drop);
  return present({
    prompt: present({
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
    choices: list(body.candidates).map((candidate, index) => ({
      index,
      parts: [{ type: 'text', text: text(candidate.content) }],
      stop: 'stop',
    })),
    usage: null,
    extra: {},
  };
}

function readError(body: unknown): ReturnType<VendorWire['readError']> {
  const answer = object(body);
  const error = object(answer.error);
  if (text(error.message)) {
    const status = typeof error.code === 'number' ? error.code : 502;
    return {
      error: { message: text(error.message), type: text(error.status), code: String(error.code) },
      status,
    };
  }
  if (list(answer.candidates).length > 0) return null;
  const reasons = list(answer.filters)
    .map((filter) => text(filter.reason))
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

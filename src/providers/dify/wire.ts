/** Dify apps: one question made of the whole talk, events of many names, of which few are the answer. */
import { fail } from '../../core/errors.ts';
import { type JsonObject, parseObject } from '../../core/json.ts';
import type { RequestTarget, StreamReader } from '../../dialects/codec.ts';
import { countOf, objectOf, textOf } from '../../dialects/fields.ts';
import type { ChatReply, ChatRequest, Message, Part, StreamEvent } from '../../dialects/neutral.ts';
import { PartStream } from '../../dialects/part-stream.ts';
import { onlyText, plainUsage, reportDropped, type VendorWire } from '../vendor-wire.ts';

const withoutImages = (message: Message): Message => ({
  ...message,
  parts: message.parts.filter((part) => part.type !== 'image'),
});

function imageFile(part: Part): JsonObject[] {
  if (part.type !== 'image') return [];
  if (part.source.kind !== 'url') {
    throw fail('invalid_request', {
      params: {
        reason: { zh: 'Dify 应用只接受以地址给出的图片', en: 'Dify apps take images by address only' },
      },
    });
  }
  return [{ type: 'image', transfer_method: 'remote_url', url: part.source.url }];
}

function writeRequest(request: ChatRequest, target: RequestTarget) {
  const query = request.messages
    .map(
      (message) =>
        `${(message.role === 'developer' ? 'system' : message.role).toUpperCase()}: \n${onlyText(withoutImages(message), 'Dify')}\n`,
    )
    .join('');
  const files = request.messages.flatMap((message) => message.parts.flatMap(imageFile));
  reportDropped(request, ['user'], target);
  return {
    inputs: {},
    query,
    response_mode: target.stream ? 'streaming' : 'blocking',
    user: request.user ?? 'tollgate',
    auto_generate_name: false,
    files,
  };
}

const usageOf = (body: Record<string, unknown>) => plainUsage(objectOf(body.metadata)?.usage);

function readReply(body: Record<string, unknown>): ChatReply {
  return {
    id: textOf(body.conversation_id) || textOf(body.message_id) || '',
    model: '',
    created: countOf(body.created_at) ?? 0,
    choices: [{ index: 0, parts: [{ type: 'text', text: textOf(body.answer) ?? '' }], stop: 'stop' }],
    usage: usageOf(body),
    extra: {},
  };
}

/** Dify's thinking models wrap what they think in an HTML details block. */
const THINKING_OPENS = /^<details[^>]*>\s*<summary>\s*Thinking\.\.\.\s*<\/summary>\s*/;

function streamReader(): StreamReader {
  const parts = new PartStream();
  let ended = false;
  let thinking = false;

  const begin = (body: JsonObject): StreamEvent[] =>
    parts.start(textOf(body.conversation_id) ?? '', { created: countOf(body.created_at) ?? 0 });

  const answer = (piece: string): StreamEvent[] => {
    if (THINKING_OPENS.test(piece)) {
      thinking = true;
      piece = piece.replace(THINKING_OPENS, '');
    }
    if (!thinking) return parts.text(0, piece);
    const [thought = '', ...rest] = piece.split('</details>');
    const events = parts.thinking(0, thought, { origin: 'openai-chat' });
    if (rest.length > 0) {
      thinking = false;
      events.push(...parts.text(0, rest.join('</details>')));
    }
    return events;
  };

  const finish = (body: JsonObject): StreamEvent[] => {
    ended = true;
    const usage = usageOf(body);
    return [
      ...parts.close(0),
      { type: 'stop', choice: 0, stop: 'stop' },
      ...(usage ? [{ type: 'usage' as const, usage }] : []),
    ];
  };

  return {
    push(frame) {
      const body = parseObject(frame.data);
      if (!body) return [];
      const isOfAnswer = body.event !== 'error' && body.event !== 'ping';
      const events = isOfAnswer ? begin(body) : [];
      switch (body.event) {
        case 'message':
        case 'agent_message':
          return [...events, ...answer(textOf(body.answer) ?? '')];
        case 'text_chunk':
          return [...events, ...answer(textOf(objectOf(body.data)?.text) ?? '')];
        case 'message_end':
          return [...events, ...finish(body)];
        case 'workflow_finished':
          // A workflow app has no message_end; a chat app sends one after this.
          return objectOf(body.data)?.status === 'failed'
            ? [{ type: 'error', message: textOf(objectOf(body.data)?.error) ?? '', code: 'workflow_failed' }]
            : events;
        case 'error':
          return [
            {
              type: 'error',
              message: textOf(body.message) ?? '',
              code: textOf(body.code) ?? '',
              kind: 'dify_error',
              status: countOf(body.status) || undefined,
            },
          ];
        default:
          return events;
      }
    },
    end: () => (ended ? [{ type: 'end' }] : parts.close(0)),
  };
}

function readError(body: unknown): ReturnType<VendorWire['readError']> {
  const { code, message, status, event } = objectOf(body) ?? {};
  if (
    event !== 'error' &&
    !(typeof code === 'string' && typeof message === 'string' && typeof status === 'number')
  )
    return null;
  return {
    error: { message: textOf(message) ?? '', type: 'dify_error', code: textOf(code) ?? '' },
    status: typeof status === 'number' ? status : 502,
  };
}

export const difyWire: VendorWire = { id: 'dify', writeRequest, readReply, streamReader, readError };

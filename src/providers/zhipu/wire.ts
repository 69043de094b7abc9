/** Zhipu's model API v3: `prompt` turns in, texts in quotation marks out; streams of raw text in `event:add`. */
import { parseObject } from '../../core/json.ts';
import type { RequestTarget, StreamReader } from '../../dialects/codec.ts';
import { compact, objectOf, objectsOf, textOf } from '../../dialects/fields.ts';
import type { ChatReply, ChatRequest } from '../../dialects/neutral.ts';
import { PartStream } from '../../dialects/part-stream.ts';
import { clamp, plainTurns, plainUsage, reportDropped, type VendorWire } from '../vendor-wire.ts';

const STATUS: Readonly<Record<number, number>> = {
  1000: 401,
  1001: 401,
  1002: 401,
  1003: 401,
  1004: 401,
  1113: 402,
  1261: 400,
  1301: 400,
  1302: 429,
  1303: 429,
  1305: 429,
};

/** Answers come wrapped in one pair of quotation marks. */
const unquote = (said: string): string => (/^\s*".*"\s*$/s.test(said) ? said.trim().slice(1, -1) : said);

function writeRequest(request: ChatRequest, target: RequestTarget) {
  const { system, turns } = plainTurns(request, 'ChatGLM');
  // The service knows two roles; what stands in the system text is told first and acknowledged.
  const told = system
    ? [
        { role: 'user', content: system },
        { role: 'assistant', content: 'Okay' },
      ]
    : [];
  reportDropped(request, ['temperature', 'topP'], target);
  return compact({
    prompt: [...told, ...turns.map(({ role, text: content }) => ({ role, content }))],
    temperature: request.temperature,
    top_p: clamp(request.topP, 0.01, 0.99),
    incremental: true,
  });
}

function readReply(body: Record<string, unknown>): ChatReply {
  const data = objectOf(body.data) ?? {};
  return {
    id: textOf(data.task_id) ?? '',
    model: '',
    created: 0,
    choices: objectsOf(data.choices).map((choice, index) => ({
      index,
      parts: [{ type: 'text', text: unquote(textOf(choice.content) ?? '') }],
      stop: 'stop',
    })),
    usage: plainUsage(data.usage),
    extra: {},
  };
}

function streamReader(): StreamReader {
  const parts = new PartStream();
  let ended = false;
  return {
    push(frame) {
      if (frame.event === 'error' || frame.event === 'interrupted') {
        return [{ type: 'error', message: frame.data, code: frame.event }];
      }
      if (frame.event !== 'finish') return [...parts.start(''), ...parts.text(0, frame.data)];
      ended = true;
      const meta = parseObject(frame.meta ?? '') ?? {};
      const usage = plainUsage(meta.usage);
      return [
        ...parts.start(textOf(meta.task_id) ?? ''),
        ...parts.text(0, frame.data),
        ...parts.close(0),
        { type: 'stop', choice: 0, stop: 'stop' },
        ...(usage ? [{ type: 'usage' as const, usage }] : []),
      ];
    },
    end: () => (ended ? [{ type: 'end' }] : parts.close(0)),
  };
}

function readError(body: unknown): ReturnType<VendorWire['readError']> {
  const { success, code, msg } = objectOf(body) ?? {};
  if (success !== false) return null;
  const status = typeof code === 'number' ? STATUS[code] : undefined;
  return {
    error: { message: textOf(msg) ?? '', type: 'zhipu_error', code: String(code) },
    status: status ?? 502,
  };
}

export const zhipuWire: VendorWire = { id: 'zhipu-v3', writeRequest, readReply, streamReader, readError };

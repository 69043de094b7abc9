/** Tencent Hunyuan: OpenAI's ideas in capital letters, wrapped in `Response` when whole and bare when streamed. */
import { fail } from '../../core/errors.ts';
import { type JsonObject, parseObject } from '../../core/json.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import type { RequestTarget, StreamReader } from '../../dialects/codec.ts';
import { compact, countOf, objectOf, objectsOf, textOf } from '../../dialects/fields.ts';
import type {
  ChatReply,
  ChatRequest,
  Message,
  Part,
  StopReason,
  StreamEvent,
} from '../../dialects/neutral.ts';
import { PartStream } from '../../dialects/part-stream.ts';
import { clamp, errorEvent, onlyText, reportDropped, stopOf, type VendorWire } from '../vendor-wire.ts';

const STOP: Readonly<Record<string, StopReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  sensitive: 'content-filter',
};

/** Tool choices have only these words; `custom` comes with the tool. */
const CHOICE = { auto: 'auto', none: 'none', required: 'auto' } as const;

function writeMessage(message: Message): JsonObject[] {
  if (message.role === 'tool') {
    return message.parts.flatMap((part) =>
      part.type === 'tool-result'
        ? [
            {
              Role: 'tool',
              ToolCallId: part.id,
              Content: onlyText({ role: 'tool', parts: part.content }, 'Hunyuan'),
            },
          ]
        : [],
    );
  }
  const Role = message.role === 'developer' ? 'system' : message.role;
  const calls = message.parts.filter((part) => part.type === 'tool-call');
  const spoken: Message = { ...message, parts: message.parts.filter((part) => part.type !== 'tool-call') };
  if (spoken.parts.some((part) => part.type === 'image')) {
    return [{ Role, Contents: spoken.parts.flatMap(writeContent) }];
  }
  const ToolCalls = calls.map((call) => ({
    Id: call.id,
    Type: 'function',
    Function: { Name: call.name, Arguments: call.input },
  }));
  return [{ Role, Content: onlyText(spoken, 'Hunyuan'), ...(ToolCalls.length > 0 ? { ToolCalls } : {}) }];
}

function writeContent(part: Part): JsonObject[] {
  if (part.type === 'text') return [{ Type: 'text', Text: part.text }];
  if (part.type !== 'image') return [];
  const { source } = part;
  if (source.kind === 'file') {
    throw fail('invalid_request', {
      params: {
        reason: {
          zh: '混元模型接受以地址或数据给出的图片，不接受文件编号',
          en: 'Hunyuan models take images by address or as data, not by file id',
        },
      },
    });
  }
  const Url = source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
  return [{ Type: 'image_url', ImageUrl: { Url } }];
}

function writeRequest(request: ChatRequest, target: RequestTarget) {
  const Tools = request.tools.flatMap((tool) =>
    tool.type === 'function'
      ? [
          {
            Type: 'function',
            Function: {
              Name: tool.name,
              Description: tool.description ?? '',
              Parameters: JSON.stringify(tool.parameters ?? { type: 'object', properties: {} }),
            },
          },
        ]
      : [],
  );
  const choice = request.toolChoice;
  const named =
    choice?.mode === 'named' ? Tools.find((tool) => tool.Function.Name === choice.name) : undefined;
  reportDropped(request, ['temperature', 'topP', 'seed', 'stop', 'tools', 'toolChoice'], target);
  return compact({
    Model: target.model,
    Messages: request.messages.flatMap(writeMessage),
    Stream: target.stream,
    Temperature: clamp(request.temperature, 0, 2),
    TopP: clamp(request.topP, 0, 1),
    Seed: request.seed,
    Stop: request.stop,
    Tools: Tools.length > 0 ? Tools : undefined,
    ToolChoice: named
      ? 'custom'
      : choice && choice.mode !== 'named' && choice.mode !== 'allowed'
        ? CHOICE[choice.mode]
        : undefined,
    CustomTool: named,
  });
}

function readUsage(raw: unknown): Usage | null {
  const usage = objectOf(raw) ?? {};
  if (usage.PromptTokens === undefined && usage.TotalTokens === undefined) return null;
  return {
    ...noUsage(),
    input: countOf(usage.PromptTokens) ?? 0,
    output: countOf(usage.CompletionTokens) ?? 0,
  };
}

function readParts(message: Record<string, unknown>): Part[] {
  const thought = textOf(message.ReasoningContent) ?? '';
  const said = textOf(message.Content) ?? '';
  return [
    ...(thought ? [{ type: 'thinking' as const, text: thought, origin: 'openai-chat' as const }] : []),
    ...(said ? [{ type: 'text' as const, text: said }] : []),
    ...objectsOf(message.ToolCalls).map((call) => ({
      type: 'tool-call' as const,
      id: textOf(call.Id) ?? '',
      name: textOf(objectOf(call.Function)?.Name) ?? '',
      input: textOf(objectOf(call.Function)?.Arguments) ?? '',
      kind: 'function' as const,
    })),
  ];
}

function readReply(body: Record<string, unknown>): ChatReply {
  const answer = objectOf(body.Response) ?? {};
  return {
    id: textOf(answer.Id) ?? '',
    model: '',
    created: countOf(answer.Created) ?? 0,
    choices: objectsOf(answer.Choices).map((choice, index) => {
      const rawStop = textOf(choice.FinishReason) || 'stop';
      return {
        index,
        parts: readParts(objectOf(choice.Message) ?? {}),
        stop: stopOf(STOP, rawStop),
        rawStop,
      };
    }),
    usage: readUsage(answer.Usage),
    extra: {},
  };
}

function streamReader(): StreamReader {
  const parts = new PartStream();
  let ended = false;

  const readDelta = (choice: number, delta: Record<string, unknown>): StreamEvent[] => [
    ...parts.thinking(choice, textOf(delta.ReasoningContent) ?? '', { origin: 'openai-chat' }),
    ...parts.text(choice, textOf(delta.Content) ?? ''),
    ...objectsOf(delta.ToolCalls).flatMap((call) => {
      const key = countOf(call.Index) ?? 0;
      const named = objectOf(call.Function) ?? {};
      const begin = parts.hasTool(choice, key)
        ? []
        : parts.tool(choice, key, {
            id: textOf(call.Id) ?? '',
            name: textOf(named.Name) ?? '',
            kind: 'function',
          });
      return [...begin, ...parts.toolInput(choice, key, textOf(named.Arguments) ?? '')];
    }),
  ];

  return {
    push(frame) {
      const body = parseObject(frame.data);
      if (!body) return [];
      const error = readError(body);
      if (error) return [errorEvent(error)];
      const events = parts.start(textOf(body.Id) ?? '', { created: countOf(body.Created) ?? 0 });
      objectsOf(body.Choices).forEach((choice, index) => {
        events.push(...readDelta(index, objectOf(choice.Delta) ?? {}));
        const rawStop = textOf(choice.FinishReason) ?? '';
        if (!rawStop) return;
        ended = true;
        events.push(...parts.close(index), {
          type: 'stop',
          choice: index,
          stop: stopOf(STOP, rawStop),
          rawStop,
        });
      });
      const usage = readUsage(body.Usage);
      if (usage) events.push({ type: 'usage', usage });
      return events;
    },
    end: () => (ended ? [{ type: 'end' }] : parts.close(0)),
  };
}

/** The first word of an error code tells what it stands for. */
function statusOf(code: string): number {
  if (/^(AuthFailure|UnauthorizedOperation)/.test(code)) return 401;
  if (/^(LimitExceeded|RequestLimitExceeded)|ServerLimitExceeded$/.test(code)) return 429;
  if (/ResourcePackExhausted|ResourceInsufficient|InArrears/.test(code)) return 402;
  if (/^(InvalidParameter|MissingParameter|UnknownParameter|UnsupportedOperation)/.test(code)) return 400;
  return 502;
}

function readError(body: unknown): ReturnType<VendorWire['readError']> {
  const whole = objectOf(objectOf(body)?.Response) ?? {};
  const inner = objectOf(whole.Error) ?? {};
  const streamed = objectOf(objectOf(body)?.ErrorMsg) ?? {};
  const code = textOf(inner.Code) || (streamed.Code === undefined ? '' : String(streamed.Code));
  if (!code) return null;
  return {
    error: { message: textOf(inner.Message) || textOf(streamed.Msg) || '', type: 'tencent_error', code },
    status: statusOf(code),
  };
}

export const tencentWire: VendorWire = {
  id: 'tencent-hunyuan',
  writeRequest,
  readReply,
  streamReader,
  readError,
};

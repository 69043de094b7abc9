/**
 * An upstream that speaks the vendors' chat wires, each in payloads written out by hand from their documentation. What
 * it says follows from what it is asked: a question about the weather is answered by a tool call, the tool's result by
 * a sentence, a question for an answer as JSON by an object, and anything else by a thought and a greeting. It counts 13
 * tokens of prompt besides 4 that were cached, and 20 of answer.
 */
import { isObject, type JsonObject, parseObject } from '../../src/core/json.ts';

export type Wire =
  | 'chat'
  | 'responses'
  | 'messages'
  | 'generateContent'
  | 'cohere'
  | 'ollama'
  | 'tencent'
  | 'palm'
  | 'minimax';

/** What became of a request. */
export interface WireSeen {
  wire: Wire;
  path: string;
  headers: Headers;
  body: JsonObject;
  /** As it came. */
  raw: string;
}

/**
 * `status`: that answer instead; `cut`: a stream without its end; `stall`: the same, but its connection stays open;
 * `flood`: as `stall`, after more than anybody asked for; `error`: an error inside the answer.
 */
export type WireFault = { status: number } | 'cut' | 'stall' | 'flood' | 'error' | 'no-usage';

interface Said {
  thought: string;
  texts: readonly string[];
  call: { id: string; name: string; input: string } | null;
}

const GREETING: Said = { thought: 'hm', texts: ['Hello', ' wörld'], call: null };
const WEATHER = { name: 'get_weather', input: '{"city":"Oslo"}' };
/** Long words, so that few tokens are many bytes. */
export const FLOOD = ' internationalization'.repeat(70);
const FLOODED: Said = { thought: 'hm', texts: ['Hello', FLOOD, '!'], call: null };
const RESULT: Said = { thought: '', texts: ['It is', ' 7 degrees.'], call: null };
const OBJECT: Said = { thought: '', texts: ['{"answer"', ':42}'], call: null };

/** The marker of a tool's result; `answer as JSON` and `weather` decide the rest. */
export const TOOL_RESULT = 'seven degrees';

const answerTo = (raw: string, tool: ToolCall): Said => {
  if (raw.includes(TOOL_RESULT)) return RESULT;
  if (raw.includes('answer as JSON')) return OBJECT;
  const asked = { thought: '', texts: [], call: { id: 'call_1', ...tool } };
  return raw.includes('the weather?') ? asked : GREETING;
};

export interface ToolCall {
  name: string;
  /** JSON. */
  input: string;
}

export interface WireUpstream {
  base: string;
  seen: WireSeen[];
  /** Of the coming calls, in order. */
  faults: WireFault[];
  /** What is called by whom asks about the weather. */
  tool: ToolCall;
  close(): Promise<void>;
}

export function startWires(): WireUpstream {
  const seen: WireSeen[] = [];
  const faults: WireFault[] = [];
  const state = { tool: WEATHER };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const url = new URL(request.url);
      if (url.pathname === '/pixel.png') {
        return new Response(Buffer.from(PIXEL, 'base64'), { headers: { 'content-type': 'image/png' } });
      }
      const wire = wireOf(url.pathname);
      if (!wire) return new Response('no such path', { status: 404 });
      const raw = await request.text();
      const body = parseObject(raw) ?? {};
      seen.push({ wire, path: url.pathname + url.search, headers: request.headers, body, raw });
      const fault = faults.shift();
      if (isObject(fault)) return failure(wire, fault.status as number);
      const streams = body.stream === true || body.Stream === true || url.pathname.includes('stream');
      const said = fault === 'flood' ? FLOODED : answerTo(raw, state.tool);
      return streams ? streamed(wire, said, fault as WireFault) : whole(wire, said, fault as WireFault);
    },
  });
  return Object.assign(state, {
    base: `http://127.0.0.1:${server.port}`,
    seen,
    faults,
    close: () => server.stop(true),
  });
}

/** One red pixel. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

function wireOf(path: string): Wire | null {
  if (path === '/v1/chat/completions') return 'chat';
  if (path.endsWith('/responses')) return 'responses';
  if (path.endsWith('/v1/messages')) return 'messages';
  if (path === '/v2/chat') return 'cohere';
  if (path === '/api/chat') return 'ollama';
  if (path === '/v1/text/chatcompletion_v2') return 'minimax';
  if (path.endsWith(':generateMessage')) return 'palm';
  if (/:(g|streamG)enerateContent$/.test(path)) return 'generateContent';
  return path === '/' ? 'tencent' : null;
}

function failure(wire: Wire, status: number): Response {
  const message = `${wire} says ${status}`;
  const headers: Record<string, string> = status === 429 ? { 'retry-after': '7' } : {};
  switch (wire) {
    case 'messages':
      return Response.json(
        { type: 'error', error: { type: 'invalid_request_error', message } },
        { status, headers },
      );
    case 'generateContent':
      return Response.json(
        { error: { code: status, message, status: 'INVALID_ARGUMENT' } },
        { status, headers },
      );
    case 'cohere':
      return Response.json({ id: 'e', message }, { status, headers });
    case 'ollama':
      return Response.json({ error: message }, { status, headers });
    default:
      return Response.json(
        { error: { message, type: 'invalid_request_error', param: 'messages', code: 'bad_thing' } },
        { status, headers },
      );
  }
}

const chatUsage = {
  prompt_tokens: 17,
  completion_tokens: 20,
  total_tokens: 37,
  prompt_tokens_details: { cached_tokens: 4 },
};
const responsesUsage = {
  input_tokens: 17,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 37,
};
const geminiUsage = {
  promptTokenCount: 17,
  cachedContentTokenCount: 4,
  candidatesTokenCount: 20,
  totalTokenCount: 37,
};
const cohereUsage = {
  billed_units: { input_tokens: 17, output_tokens: 20 },
  tokens: { input_tokens: 17, output_tokens: 20 },
};
const tencentUsage = { PromptTokens: 17, CompletionTokens: 20, TotalTokens: 37 };

const message = (role: string, text: string) => ({
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role,
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
});

// ---- Whole answers -----------------------------------------------------------------------------------------------

function whole(wire: Wire, said: Said, fault: WireFault | undefined): Response {
  if (fault === 'error') return Response.json(errorAnswer(wire));
  const answer = wholeBody(wire, said);
  if (fault === 'no-usage') {
    for (const field of ['usage', 'usageMetadata']) delete answer[field];
  }
  return Response.json(answer);
}

const errorAnswer = (wire: Wire): JsonObject =>
  wire === 'tencent'
    ? { Response: { Error: { Code: 'RequestLimitExceeded', Message: 'slow down' }, RequestId: 'r' } }
    : { base_resp: { status_code: 1002, status_msg: 'slow down' } };

function wholeBody(wire: Wire, { thought, texts, call }: Said): JsonObject {
  const text = texts.join('');
  switch (wire) {
    case 'chat':
    case 'minimax':
      return {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1_700_000_000,
        model: 'upstream-model',
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: text || null,
              ...(thought && { reasoning_content: thought }),
              ...(call && {
                tool_calls: [
                  { id: call.id, type: 'function', function: { name: call.name, arguments: call.input } },
                ],
              }),
            },
            finish_reason: call ? 'tool_calls' : 'stop',
          },
        ],
        usage: chatUsage,
      };
    case 'responses':
      return {
        ...responseObject('completed'),
        output: outputItems({ thought, texts, call }),
        usage: responsesUsage,
      };
    case 'messages':
      return {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'upstream-model',
        content: [
          ...(thought ? [{ type: 'thinking', thinking: thought, signature: 'c2ln' }] : []),
          ...(text ? [{ type: 'text', text }] : []),
          ...(call
            ? [{ type: 'tool_use', id: call.id, name: call.name, input: JSON.parse(call.input) }]
            : []),
        ],
        stop_reason: call ? 'tool_use' : 'end_turn',
        stop_sequence: null,
        usage: {
          input_tokens: 13,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 4,
          output_tokens: 20,
        },
      };
    case 'generateContent':
      return {
        candidates: [
          {
            content: {
              role: 'model',
              parts: [
                ...(thought ? [{ text: thought, thought: true }] : []),
                ...(text ? [{ text }] : []),
                ...(call ? [{ functionCall: { name: call.name, args: JSON.parse(call.input) } }] : []),
              ],
            },
            finishReason: 'STOP',
            index: 0,
          },
        ],
        usageMetadata: geminiUsage,
        modelVersion: 'upstream-model',
        responseId: 'r1',
      };
    case 'cohere':
      return {
        id: 'c1',
        finish_reason: call ? 'TOOL_CALL' : 'COMPLETE',
        message: {
          role: 'assistant',
          ...(call
            ? {
                tool_calls: [
                  { id: call.id, type: 'function', function: { name: call.name, arguments: call.input } },
                ],
              }
            : {
                content: [
                  ...(thought ? [{ type: 'thinking', thinking: thought }] : []),
                  { type: 'text', text },
                ],
              }),
        },
        usage: cohereUsage,
      };
    case 'ollama':
      return { ...ollamaLine({ content: text, ...ollamaBeside({ thought, texts, call }) }), ...OLLAMA_END };
    case 'tencent':
      return {
        Response: {
          RequestId: 'r',
          Note: '',
          Choices: [
            {
              Message: {
                Role: 'assistant',
                Content: text,
                ...(thought && { ReasoningContent: thought }),
                ...(call && {
                  ToolCalls: [
                    { Id: call.id, Type: 'function', Function: { Name: call.name, Arguments: call.input } },
                  ],
                }),
              },
              FinishReason: call ? 'tool_calls' : 'stop',
            },
          ],
          Created: 1_700_000_000,
          Id: 't1',
          Usage: tencentUsage,
        },
      };
    case 'palm':
      return { candidates: [{ author: '1', content: text }], messages: [] };
  }
}

const ollamaLine = (message: JsonObject): JsonObject => ({
  model: 'upstream-model',
  created_at: '2025-01-01T00:00:00Z',
  message: { role: 'assistant', content: '', ...message },
  done: false,
});
const OLLAMA_END: JsonObject = { done: true, done_reason: 'stop', prompt_eval_count: 17, eval_count: 20 };
const ollamaBeside = ({ thought, call }: Said): JsonObject => ({
  ...(thought && { thinking: thought }),
  ...(call && { tool_calls: [{ function: { name: call.name, arguments: JSON.parse(call.input) } }] }),
});

const responseObject = (status: string): JsonObject => ({
  id: 'resp_upstream_1',
  object: 'response',
  created_at: 1_700_000_000,
  status,
  model: 'upstream-model',
  output: [],
  store: true,
});

const outputItems = ({ thought, texts, call }: Said): JsonObject[] => [
  ...(thought ? [{ id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: thought }] }] : []),
  ...(texts.length > 0 ? [message('assistant', texts.join(''))] : []),
  ...(call
    ? [
        {
          id: 'fc_1',
          type: 'function_call',
          status: 'completed',
          call_id: call.id,
          name: call.name,
          arguments: call.input,
        },
      ]
    : []),
];

// ---- Streams -----------------------------------------------------------------------------------------------------

function streamed(wire: Wire, said: Said, fault: WireFault | undefined): Response {
  if (fault === 'error' && wire !== 'minimax') return Response.json(errorAnswer(wire));
  // A service without streams answers whole, whatever it is asked.
  if (wire === 'palm') return whole(wire, said, fault);
  const data = fault === 'error' ? [errorAnswer(wire)] : streamData(wire, said);
  const isUnfinished = fault === 'cut' || fault === 'stall' || fault === 'flood';
  const kept = isUnfinished ? data.slice(0, -(ENDS[wire] ?? 2)) : data;
  const shown = fault === 'no-usage' ? kept.flatMap(withoutUsage) : kept;
  const named = wire === 'messages' || wire === 'responses' || wire === 'cohere';
  const isLines = wire === 'ollama';
  const body = shown
    .map((item) => {
      if (isLines) return `${JSON.stringify(item)}\n`;
      const event = named && isObject(item) ? `event: ${item.type}\n` : '';
      return `${event}data: ${typeof item === 'string' ? item : JSON.stringify(item)}\n\n`;
    })
    .join('');
  const headers = {
    'content-type': isLines ? 'application/x-ndjson' : 'text/event-stream; charset=utf-8',
  };
  if (fault !== 'stall' && fault !== 'flood') return new Response(body, { headers });
  const open = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from(body)),
    // Never more, never the end.
    pull: () => Bun.sleep(STALL_MS),
  });
  return new Response(open, { headers });
}

/** A chat's frame of usage is left out; Anthropic's last count, which is not its first. */
function withoutUsage(item: JsonObject | string): (JsonObject | string)[] {
  if (!isObject(item)) return [item];
  if (Array.isArray(item.choices) && item.choices.length === 0) return [];
  return item.type === 'message_delta' ? [{ ...item, usage: null }] : [item];
}

const STALL_MS = 60_000;

/** Frames that end an answer: from the stop reason on, and with some one piece of content more. */
const ENDS: Readonly<Partial<Record<Wire, number>>> = { chat: 4, minimax: 5, generateContent: 1 };

function streamData(wire: Wire, said: Said): (JsonObject | string)[] {
  const { thought, texts, call } = said;
  switch (wire) {
    case 'chat':
    case 'minimax': {
      const head = {
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'upstream-model',
        // A field that nobody knows.
        nonce: 'n0',
      };
      const chunk = (delta: JsonObject, finish: string | null = null) => ({
        ...head,
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
      return [
        chunk({ role: 'assistant', content: '' }),
        ...(thought ? [chunk({ reasoning_content: thought })] : []),
        ...texts.map((content) => chunk({ content })),
        ...(call
          ? [
              chunk({
                tool_calls: [
                  { index: 0, id: call.id, type: 'function', function: { name: call.name, arguments: '' } },
                ],
              }),
              chunk({ tool_calls: [{ index: 0, function: { arguments: call.input.slice(0, 5) } }] }),
              chunk({ tool_calls: [{ index: 0, function: { arguments: call.input.slice(5) } }] }),
            ]
          : []),
        chunk({}, call ? 'tool_calls' : 'stop'),
        // MiniMax ends with the whole answer once more.
        ...(wire === 'minimax' ? [wholeBody('minimax', said)] : []),
        { ...head, choices: [], usage: chatUsage },
        '[DONE]',
      ];
    }
    case 'responses':
      return responseEvents(said).map((event, at) => ({ sequence_number: at, ...event }));
    case 'messages':
      return messageEvents(said);
    case 'generateContent': {
      const part = (fields: JsonObject, more: JsonObject = {}) => ({
        candidates: [{ content: { role: 'model', parts: [fields] }, index: 0, ...more }],
        usageMetadata: { promptTokenCount: 17, totalTokenCount: 17 },
        modelVersion: 'upstream-model',
        responseId: 'r1',
      });
      const parts: JsonObject[] = [
        ...(thought ? [{ text: thought, thought: true }] : []),
        ...texts.map((text) => ({ text })),
        ...(call ? [{ functionCall: { name: call.name, args: JSON.parse(call.input) } }] : []),
      ];
      return parts.map((each, at) =>
        at < parts.length - 1
          ? part(each)
          : { ...part(each, { finishReason: 'STOP' }), usageMetadata: geminiUsage },
      );
    }
    case 'cohere':
      return cohereEvents(said);
    case 'ollama':
      return [
        ...(thought ? [ollamaLine({ thinking: thought })] : []),
        ...texts.map((content) => ollamaLine({ content })),
        ...(call ? [ollamaLine(ollamaBeside({ ...said, thought: '' }))] : []),
        { ...ollamaLine({}), ...OLLAMA_END },
      ];
    case 'tencent': {
      let sent = 0;
      const chunk = (Delta: JsonObject, FinishReason = '') => ({
        Note: '',
        Choices: [{ Index: 0, Delta: { Role: 'assistant', ...Delta }, FinishReason }],
        Created: 1,
        Id: 't1',
        // Counted up to here.
        Usage: FinishReason ? tencentUsage : { ...tencentUsage, CompletionTokens: ++sent },
      });
      return [
        ...(thought ? [chunk({ ReasoningContent: thought })] : []),
        ...texts.map((Content) => chunk({ Content })),
        ...(call
          ? [
              chunk({
                ToolCalls: [
                  {
                    Index: 0,
                    Id: call.id,
                    Type: 'function',
                    Function: { Name: call.name, Arguments: call.input },
                  },
                ],
              }),
            ]
          : []),
        chunk({ Content: '' }, call ? 'tool_calls' : 'stop'),
        '[DONE]',
      ];
    }
    case 'palm':
      return [];
  }
}

function responseEvents(said: Said): JsonObject[] {
  const { thought, texts, call } = said;
  const text = texts.join('');
  const events: JsonObject[] = [
    { type: 'response.created', response: responseObject('in_progress') },
    { type: 'response.in_progress', response: responseObject('in_progress') },
  ];
  let output_index = 0;
  for (const item of outputItems(said)) {
    const at = { output_index, item_id: item.id ?? null };
    switch (item.type) {
      case 'reasoning':
        events.push(
          { type: 'response.output_item.added', output_index, item: { ...item, summary: [] } },
          {
            type: 'response.reasoning_summary_part.added',
            ...at,
            summary_index: 0,
            part: { type: 'summary_text', text: '' },
          },
          { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta: thought },
          { type: 'response.reasoning_summary_text.done', ...at, summary_index: 0, text: thought },
          {
            type: 'response.reasoning_summary_part.done',
            ...at,
            summary_index: 0,
            part: { type: 'summary_text', text: thought },
          },
        );
        break;
      case 'message':
        events.push(
          {
            type: 'response.output_item.added',
            output_index,
            item: { ...item, status: 'in_progress', content: [] },
          },
          {
            type: 'response.content_part.added',
            ...at,
            content_index: 0,
            part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
          },
          ...texts.map((delta) => ({
            type: 'response.output_text.delta',
            ...at,
            content_index: 0,
            delta,
            logprobs: [],
          })),
          { type: 'response.output_text.done', ...at, content_index: 0, text, logprobs: [] },
          {
            type: 'response.content_part.done',
            ...at,
            content_index: 0,
            part: { type: 'output_text', text, annotations: [], logprobs: [] },
          },
        );
        break;
      default:
        events.push(
          {
            type: 'response.output_item.added',
            output_index,
            item: { ...item, status: 'in_progress', arguments: '' },
          },
          { type: 'response.function_call_arguments.delta', ...at, delta: call?.input ?? '' },
          { type: 'response.function_call_arguments.done', ...at, arguments: call?.input ?? '' },
        );
    }
    events.push({ type: 'response.output_item.done', output_index, item });
    output_index++;
  }
  const response = { ...responseObject('completed'), output: outputItems(said), usage: responsesUsage };
  return [...events, { type: 'response.completed', response }];
}

function messageEvents({ thought, texts, call }: Said): JsonObject[] {
  const blocks: { start: JsonObject; deltas: JsonObject[] }[] = [
    ...(thought
      ? [
          {
            start: { type: 'thinking', thinking: '', signature: '' },
            deltas: [
              { type: 'thinking_delta', thinking: thought },
              { type: 'signature_delta', signature: 'c2ln' },
            ],
          },
        ]
      : []),
    ...(texts.length > 0
      ? [{ start: { type: 'text', text: '' }, deltas: texts.map((text) => ({ type: 'text_delta', text })) }]
      : []),
    ...(call
      ? [
          {
            start: { type: 'tool_use', id: call.id, name: call.name, input: {} },
            deltas: [{ type: 'input_json_delta', partial_json: call.input }],
          },
        ]
      : []),
  ];
  return [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'upstream-model',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: 13,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 4,
          output_tokens: 1,
        },
      },
    },
    { type: 'ping' },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: 20 },
    },
    { type: 'message_stop' },
  ];
}

function cohereEvents({ thought, texts, call }: Said): JsonObject[] {
  const delta = (message: JsonObject) => ({ delta: { message } });
  const content: JsonObject[] = [];
  if (thought) {
    content.push(
      { type: 'content-start', index: 0, ...delta({ content: { type: 'thinking', thinking: '' } }) },
      { type: 'content-delta', index: 0, ...delta({ content: { thinking: thought } }) },
      { type: 'content-end', index: 0 },
    );
  }
  if (texts.length > 0) {
    content.push(
      { type: 'content-start', index: 1, ...delta({ content: { type: 'text', text: '' } }) },
      ...texts.map((text) => ({ type: 'content-delta', index: 1, ...delta({ content: { text } }) })),
      { type: 'content-end', index: 1 },
    );
  }
  if (call) {
    const named = { id: call.id, type: 'function', function: { name: call.name, arguments: '' } };
    content.push(
      { type: 'tool-call-start', index: 0, ...delta({ tool_calls: named }) },
      {
        type: 'tool-call-delta',
        index: 0,
        ...delta({ tool_calls: { function: { arguments: call.input } } }),
      },
      { type: 'tool-call-end', index: 0 },
    );
  }
  return [
    { id: 'c1', type: 'message-start', ...delta({ role: 'assistant', content: [] }) },
    ...content,
    {
      type: 'message-end',
      delta: { finish_reason: call ? 'TOOL_CALL' : 'COMPLETE', usage: cohereUsage },
    },
  ];
}

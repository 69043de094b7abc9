/** One chat call to this site, as a program would make it, measured. */

/** What a model wants called, with its arguments as it wrote them. */
export interface ToolCall {
  name: string;
  arguments: string;
}

/** An answer as far as it has come. */
export interface Answer {
  text: string;
  /** What the model thought before it answered. */
  thinking: string;
  tools: readonly ToolCall[];
}

export interface CallResult extends Answer {
  model: string;
  requestId: string;
  /** Until the first text, and until the end; seconds. */
  firstSec: number | null;
  totalSec: number;
  inputTokens: number | null;
  outputTokens: number | null;
  /** Quota units; null when the answer did not say. */
  cost: number | null;
}

export interface RelayCall {
  path: string;
  /** Beside the type of the body. */
  headers: Record<string, string>;
  body: { model: string; stream?: boolean };
  signal: AbortSignal;
  /** Called with the whole answer so far. */
  onAnswer: (answer: Answer) => void;
}

/** A refusal of the relay, in its own words. */
export class RelayError extends Error {
  override readonly name = 'RelayError';
  constructor(
    message: string,
    readonly requestId: string,
    /** By which programs know it; empty where none came. */
    readonly code = '',
  ) {
    super(message);
  }
}

/** A part of a call comes with its place among them; a whole one stands in it. */
interface ToolPart {
  index?: number;
  function?: { name?: string; arguments?: string };
}

interface Said {
  content?: string | null;
  reasoning_content?: string | null;
  tool_calls?: ToolPart[] | null;
}

interface Chunk {
  model?: string;
  choices?: { delta?: Said; message?: Said }[];
  usage?: { prompt_tokens?: number; completion_tokens?: number } | null;
  error?: { message?: string; code?: unknown };
}

/** The calls so far with the parts that have come. */
export function withParts(tools: readonly ToolCall[], parts: readonly ToolPart[]): ToolCall[] {
  const next = [...tools];
  parts.forEach((part, i) => {
    const at = part.index ?? i;
    const before = next[at] ?? { name: '', arguments: '' };
    next[at] = {
      name: before.name + (part.function?.name ?? ''),
      arguments: before.arguments + (part.function?.arguments ?? ''),
    };
  });
  return next.filter(Boolean);
}

/** The lines of an event stream: data, and the comment that carries the cost. */
export function readLine(line: string): { chunk?: Chunk; cost?: number } {
  const cost = /^: ?cost=(\d+)/.exec(line)?.[1];
  if (cost !== undefined) return { cost: Number(cost) };
  const data = /^data: ?(.*)$/.exec(line)?.[1];
  if (data === undefined || data === '[DONE]' || data === '') return {};
  return { chunk: JSON.parse(data) as Chunk };
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    rest += decoder.decode(value, { stream: !done });
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? '';
    yield* lines;
    if (done) break;
  }
  if (rest) yield rest;
}

/** Throws RelayError when the relay refuses or breaks off, AbortError when it was stopped. */
export async function relayCall({ path, headers, body, signal, onAnswer }: RelayCall): Promise<CallResult> {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-include-cost': '1', ...headers },
    // A key needs no cookie beside it.
    credentials: 'authorization' in headers ? 'omit' : 'same-origin',
    body: JSON.stringify({ ...body, ...(body.stream ? { stream_options: { include_usage: true } } : {}) }),
    signal,
  });
  const requestId = response.headers.get('x-request-id') ?? '';
  const result: CallResult = {
    text: '',
    thinking: '',
    tools: [],
    model: body.model,
    requestId,
    firstSec: null,
    totalSec: 0,
    inputTokens: null,
    outputTokens: null,
    cost: costOf(response.headers),
  };

  const take = (chunk: Chunk) => {
    if (chunk.error) {
      const { message = '', code } = chunk.error;
      throw new RelayError(message, requestId, typeof code === 'string' ? code : '');
    }
    const [choice] = chunk.choices ?? [];
    const { content, reasoning_content: thought, tool_calls: parts } = choice?.delta ?? choice?.message ?? {};
    if (content || thought || parts?.length) {
      result.firstSec ??= seconds();
      result.text += content ?? '';
      result.thinking += thought ?? '';
      result.tools = withParts(result.tools, parts ?? []);
      onAnswer({ text: result.text, thinking: result.thinking, tools: result.tools });
    }
    result.model = chunk.model ?? result.model;
    result.inputTokens = chunk.usage?.prompt_tokens ?? result.inputTokens;
    result.outputTokens = chunk.usage?.completion_tokens ?? result.outputTokens;
  };

  if (!response.ok || !body.stream || !response.body) {
    const answer = (await response.json().catch(() => null)) as Chunk | null;
    if (!answer) throw new RelayError(`HTTP ${response.status}`, requestId);
    take(answer);
  } else {
    for await (const line of linesOf(response.body)) {
      const { chunk, cost } = readLine(line);
      if (chunk) take(chunk);
      result.cost = cost ?? result.cost;
    }
  }
  return { ...result, totalSec: seconds() };
}

const costOf = (headers: Headers): number | null => {
  const cost = headers.get('x-gateway-cost');
  return cost === null ? null : Number(cost);
};

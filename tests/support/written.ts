import type { JsonObject } from '../../src/core/json.ts';
import type { RequestTarget } from '../../src/dialects/codec.ts';
import type { ChatRequest } from '../../src/dialects/neutral.ts';

/** What a request of another dialect becomes by a writer, and what was dropped. */
export const writtenBy =
  (
    writeRequest: (request: ChatRequest, target: RequestTarget) => JsonObject,
    {
      dialect,
      model: usual,
      askUsage,
    }: Pick<ChatRequest, 'dialect'> & Pick<RequestTarget, 'model' | 'askUsage'>,
  ) =>
  (request: Partial<ChatRequest>, model = usual) => {
    const dropped: string[] = [];
    const body = writeRequest(
      {
        dialect,
        model: 'asked',
        stream: false,
        messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
        tools: [],
        extra: {},
        ...request,
      },
      {
        model,
        stream: false,
        askUsage,
        defaultMaxTokens: 8192,
        drop: (what) => dropped.push(what),
      },
    );
    return { body, dropped };
  };

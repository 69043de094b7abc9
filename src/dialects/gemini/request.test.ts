import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { writtenBy } from '../../../tests/support/written.ts';
import type { JsonObject } from '../../core/json.ts';
import { carry } from '../carried.ts';
import { objectOf, objectsOf } from '../fields.ts';
import type { ChatRequest, Part } from '../neutral.ts';
import { readRequest, writeRequest } from './request.ts';

const written = writtenBy(writeRequest, {
  dialect: 'openai-chat',
  model: 'gemini-2.5-flash',
  askUsage: true,
});

const again = (body: JsonObject): JsonObject =>
  writeRequest(readRequest(body, { model: 'gemini-3-pro', stream: true }), {
    model: 'gemini-3-pro',
    stream: true,
    askUsage: true,
    defaultMaxTokens: 8192,
    drop: (what) => {
      throw new Error(`dropped ${what}`);
    },
  });

const said = (text: string): Part[] => [{ type: 'text', text }];

const WHOLE: JsonObject = {
  systemInstruction: { parts: [{ text: 'be brief' }, { text: 'be kind' }], role: 'system' },
  contents: [
    {
      role: 'user',
      parts: [
        { text: 'look' },
        { inlineData: { mimeType: 'image/png', data: 'AAAA' }, mediaResolution: { level: 'HIGH' } },
        { inlineData: { mimeType: 'audio/wav', data: 'AAAA', displayName: 'a' } },
        { inlineData: { mimeType: 'application/pdf', data: 'AAAA', displayName: 'doc' } },
        { fileData: { mimeType: 'video/mp4', fileUri: 'https://v.example' }, videoMetadata: { fps: 1 } },
      ],
    },
    {
      role: 'model',
      parts: [
        { text: 'hm', thought: true, thoughtSignature: 'c2ln' },
        { text: 'calling', thoughtSignature: 'dGV4dA==' },
        { functionCall: { name: 'f', args: { x: 1 } }, thoughtSignature: 'Y2FsbA==' },
        { functionCall: { id: 'given', name: 'g', args: {} } },
        { executableCode: { language: 'PYTHON', code: '1' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'f', response: { y: [1] } } },
        {
          functionResponse: {
            id: 'given',
            name: 'g',
            response: { result: 'ok' },
            scheduling: 'SILENT',
            parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
          },
        },
        { text: 'and?' },
      ],
    },
  ],
  tools: [
    {
      functionDeclarations: [
        {
          name: 'f',
          description: 'does f',
          parameters: { type: 'OBJECT', properties: { x: { type: 'INTEGER', nullable: true } } },
          response: { type: 'OBJECT' },
        },
        {
          name: 'g',
          parametersJsonSchema: { type: 'object', additionalProperties: false },
          behavior: 'BLOCKING',
        },
      ],
    },
    { googleSearch: { timeRangeFilter: {} } },
    { codeExecution: {} },
  ],
  toolConfig: {
    functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
    retrievalConfig: { languageCode: 'en' },
  },
  safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }],
  cachedContent: 'cachedContents/1',
  labels: { team: 'blue' },
  generationConfig: {
    temperature: 0.5,
    topP: 0.9,
    topK: 40,
    candidateCount: 1,
    maxOutputTokens: 100,
    stopSequences: ['a', 'b', 'c'],
    presencePenalty: 0.1,
    frequencyPenalty: 0.2,
    seed: 7,
    responseLogprobs: true,
    logprobs: 3,
    responseMimeType: 'application/json',
    responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING' } }, propertyOrdering: ['a'] },
    responseModalities: ['TEXT'],
    speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } }, languageCode: 'en' },
    imageConfig: { aspectRatio: '1:1' },
    thinkingConfig: { includeThoughts: true, thinkingBudget: -1 },
    mediaResolution: 'MEDIA_RESOLUTION_LOW',
  },
};

describe('a request of this dialect', () => {
  test('keeps every field that it had', () => {
    expect(again(WHOLE)).toEqual(WHOLE);
  });

  test('may spell its fields with underscores', () => {
    const body: JsonObject = {
      system_instruction: { parts: [{ text: 'be brief' }] },
      contents: [
        { role: 'user', parts: [{ inline_data: { mime_type: 'image/png', data: 'AAAA' } }] },
        {
          role: 'model',
          parts: [{ function_call: { name: 'f', args: { max_x: 1 } }, thought_signature: 'c2ln' }],
        },
        { role: 'user', parts: [{ function_response: { name: 'f', response: { new_y: 2 } } }] },
      ],
      tools: [
        { function_declarations: [{ name: 'f', parameters_json_schema: { type: 'object' } }] },
        { google_search: {} },
      ],
      tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['f'] } },
      generation_config: {
        max_output_tokens: 5,
        thinking_config: { include_thoughts: true, thinking_budget: 9 },
        speech_config: { voice_config: { prebuilt_voice_config: { voice_name: 'Kore' } } },
        response_mime_type: 'application/json',
        response_schema: { type: 'OBJECT' },
      },
    };
    const request = readRequest(body, {});
    expect(request).toMatchObject({
      toolChoice: { mode: 'named', name: 'f' },
      maxOutputTokens: 5,
      reasoning: { mode: 'on', budgetTokens: 9, show: true },
      audio: { voice: 'Kore' },
      responseFormat: { type: 'schema', schema: { type: 'object' } },
    });
    expect(request.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(request.tools.map(({ type }) => type)).toEqual(['function', 'web-search']);
    expect(again(body).contents).toEqual([
      { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
      {
        role: 'model',
        parts: [{ functionCall: { name: 'f', args: { max_x: 1 } }, thoughtSignature: 'c2ln' }],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { new_y: 2 } } }] },
    ]);
  });

  test('keeps what nobody has heard of', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.jsonValue(),
        fc.string({ minLength: 1 }),
        (name, value, text) => {
          const field = `new-${name}`;
          const body = {
            [field]: value,
            contents: [{ role: 'user', parts: [{ text, [field]: value }] }],
            generationConfig: { [field]: value },
          };
          expect(again(body as JsonObject)).toEqual(body as JsonObject);
        },
      ),
    );
  });

  test('names the calls that its results answer, in order, though it gives no ids', () => {
    const call = (n: number) => ({ functionCall: { name: 'f', args: { n } } });
    const result = (n: number) => ({ functionResponse: { name: 'f', response: { n } } });
    const { messages } = readRequest(
      {
        contents: [
          { role: 'model', parts: [call(1), call(2)] },
          { role: 'user', parts: [result(1), result(2)] },
        ],
      },
      {},
    );
    const ids = messages.map(({ parts }) => parts.map((part) => ('id' in part ? part.id : undefined)));
    expect(ids[0]).toEqual(ids[1] ?? []);
    expect(new Set(ids[0]).size).toBe(2);
  });
});

describe('turns of other dialects', () => {
  const call = (id: string, signature?: string): Part => ({
    type: 'tool-call',
    id,
    name: `n_${id}`,
    input: '{"x":1}',
    kind: 'function',
    ...(signature && { signature }),
  });
  const result = (id: string, text: string): Part => ({
    type: 'tool-result',
    id,
    kind: 'function',
    content: said(text),
  });

  test('instructions move up, results find their names, one role makes one turn', () => {
    const { body } = written({
      messages: [
        { role: 'system', parts: said('one') },
        { role: 'user', parts: said('hi') },
        { role: 'assistant', parts: [...said(''), call('a'), call('b')] },
        { role: 'tool', parts: [result('a', '{"y":2}')] },
        { role: 'tool', parts: [result('b', 'plain')] },
        { role: 'developer', parts: said('two') },
        { role: 'user', parts: said('and?') },
      ],
    });
    expect(body.systemInstruction).toEqual({ parts: [{ text: 'one\ntwo' }] });
    expect(body.contents).toEqual([
      { role: 'user', parts: [{ text: 'hi' }] },
      {
        role: 'model',
        parts: [
          { functionCall: { name: 'n_a', args: { x: 1 } } },
          { functionCall: { name: 'n_b', args: { x: 1 } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'n_a', response: { y: 2 } } },
          { functionResponse: { name: 'n_b', response: { result: 'plain' } } },
          { text: 'and?' },
        ],
      },
    ]);
  });

  test.each([
    ['gemini-2.5-pro', false],
    ['gemini-2.0-flash', false],
    ["an operator's own", false],
    ['gemini-3-pro-preview', true],
    ['gemini-flash-latest', true],
  ])('pictures of results stand in them where %s takes them there', (model, areInside) => {
    const picture: Part = { type: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AAAA' } };
    const seen = (id: string): Part => ({ type: 'tool-result', id, kind: 'function', content: [picture] });
    const { body } = written(
      {
        messages: [
          { role: 'tool', parts: [seen('a')] },
          { role: 'tool', parts: [result('b', 'plain')] },
          { role: 'user', parts: said('and?') },
        ],
      },
      model,
    );
    const inline = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
    const told = (name: string, text: string, parts?: JsonObject[]) => ({
      functionResponse: { name, response: { result: text }, ...(parts && { parts }) },
    });
    expect(body.contents).toEqual([
      {
        role: 'user',
        parts: areInside
          ? [told('a', '', [inline]), told('b', 'plain'), { text: 'and?' }]
          : [told('a', ''), told('b', 'plain'), inline, { text: 'and?' }],
      },
    ]);
  });

  test('a result that nests deeper than any body stays a text', () => {
    const deep = `{"a":${'['.repeat(40_000)}${']'.repeat(40_000)}}`;
    const { body } = written({ messages: [{ role: 'tool', parts: [result('a', deep)] }] });
    const [part] = objectsOf(objectsOf(body.contents)[0]?.parts);
    expect(objectOf(objectOf(part?.functionResponse)?.response)?.result === deep).toBe(true);
  });

  test('a newer model gets the signature of the first call, or the word that stands for a lost one', () => {
    const history = (signature?: string): Partial<ChatRequest> => ({
      messages: [
        { role: 'user', parts: said('hi') },
        { role: 'assistant', parts: [call('a', signature), call('b')] },
      ],
    });
    const signatures = (body: JsonObject) =>
      objectsOf(objectsOf(body.contents)[1]?.parts).map((part) => part.thoughtSignature);
    expect(signatures(written(history('c2ln'), 'gemini-3-pro-preview').body)).toEqual(['c2ln', undefined]);
    expect(signatures(written(history(), 'gemini-3-pro-preview').body)).toEqual([
      'skip_thought_signature_validator',
      undefined,
    ]);
    expect(signatures(written(history()).body)).toEqual([undefined, undefined]);
  });

  test('thinking of other makers stays away from the model', () => {
    const { body, dropped } = written({
      messages: [
        {
          role: 'assistant',
          parts: [{ type: 'thinking', text: 'hm', origin: 'openai-chat' }, ...said('ok')],
        },
      ],
    });
    expect(body.contents).toEqual([{ role: 'model', parts: [{ text: 'ok' }] }]);
    expect(dropped).toEqual(['thinking']);
  });

  test('thoughts that travelled through another dialect come back signed', () => {
    const signature = carry({ origin: 'anthropic-messages', signature: 'c2ln' });
    const { messages } = readRequest(
      {
        contents: [
          { role: 'model', parts: [{ text: 'hm', thought: true, thoughtSignature: signature ?? '' }] },
        ],
      },
      {},
    );
    expect(messages[0]?.parts).toEqual([
      { type: 'thinking', text: 'hm', signature: 'c2ln', origin: 'anthropic-messages' },
    ]);
  });
});

describe('settings of other dialects', () => {
  test('what has a word is said with it, what has none is reported', () => {
    const { body, dropped } = written({
      maxOutputTokens: 100,
      temperature: 1.5,
      topP: 0.5,
      topK: 3,
      stop: ['1', '2', '3', '4', '5', '6'],
      seed: 1,
      frequencyPenalty: 1,
      presencePenalty: 2,
      choices: 2,
      logprobs: true,
      topLogprobs: 4,
      verbosity: 'low',
      minP: 0.1,
    });
    expect(body.generationConfig).toEqual({
      temperature: 1.5,
      topP: 0.5,
      topK: 3,
      candidateCount: 2,
      maxOutputTokens: 100,
      presencePenalty: 2,
      frequencyPenalty: 1,
      seed: 1,
      stopSequences: ['1', '2', '3', '4', '5'],
      responseLogprobs: true,
      logprobs: 4,
    });
    expect(dropped.sort()).toEqual(['min_p', 'stop beyond five', 'verbosity']);
  });

  const f = { type: 'function' as const, name: 'f', description: 'd', parameters: { type: 'object' } };
  test.each<[string, Partial<ChatRequest>, JsonObject | undefined]>([
    ['auto', { toolChoice: { mode: 'auto' } }, { mode: 'AUTO' }],
    ['none', { toolChoice: { mode: 'none' } }, { mode: 'NONE' }],
    ['required', { toolChoice: { mode: 'required' } }, { mode: 'ANY' }],
    [
      'a name',
      { toolChoice: { mode: 'named', name: 'f', kind: 'function' } },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
    [
      'some',
      { toolChoice: { mode: 'allowed', names: ['f', 'g'], required: false } },
      { mode: 'VALIDATED', allowedFunctionNames: ['f', 'g'] },
    ],
    ['no choice', {}, undefined],
  ])('tool choice: %s', (_name, request, expected) => {
    const { toolConfig } = written({ tools: [f], ...request }).body;
    expect(toolConfig).toEqual(expected && { functionCallingConfig: expected });
  });

  test("the service's own tools stand beside functions only where the model takes both", () => {
    const search = { type: 'web-search' as const, raw: { dialect: 'openai-responses' as const, value: {} } };
    const tools = [f, search];
    expect(written({ tools: [search] }).body.tools).toEqual([{ googleSearch: {} }]);
    expect(written({ tools }).dropped).toEqual(['googleSearch']);
    expect(written({ tools }, 'gemini-3-pro').body.tools).toEqual([
      { functionDeclarations: [{ name: 'f', description: 'd' }] },
      { googleSearch: {} },
    ]);
  });

  test.each<[string, Partial<ChatRequest>, JsonObject]>([
    ['no choice', {}, {}],
    ['auto, which is no mode beside them', { toolChoice: { mode: 'auto' } }, {}],
    ['none', { toolChoice: { mode: 'none' } }, { functionCallingConfig: { mode: 'NONE' } }],
    ['required', { toolChoice: { mode: 'required' } }, { functionCallingConfig: { mode: 'ANY' } }],
    [
      'some',
      { toolChoice: { mode: 'allowed', names: ['f'], required: false } },
      { functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: ['f'] } },
    ],
  ])('functions beside its own tools are asked for as such: %s', (_name, request, expected) => {
    const code = { type: 'function' as const, name: 'codeExecution' };
    const { toolConfig } = written({ tools: [f, code], ...request }, 'gemini-flash-latest').body;
    expect(toolConfig).toEqual({ ...expected, includeServerSideToolInvocations: true });
    expect(written({ tools: [code], ...request }, 'gemini-3-pro').body).not.toHaveProperty('toolConfig');
  });

  test('a schema goes with its content type', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false };
    const { body } = written({ responseFormat: { type: 'schema', name: 'r', schema } });
    expect(body.generationConfig).toEqual({
      responseMimeType: 'application/json',
      responseSchema: { type: 'object', properties: { a: { type: 'string' } } },
    });
    expect(written({ responseFormat: { type: 'json' } }).body.generationConfig).toEqual({
      responseMimeType: 'application/json',
    });
  });

  test.each<[string, Partial<ChatRequest>, JsonObject | undefined]>([
    [
      'gemini-2.5-flash',
      { reasoning: { effort: 'medium' } },
      { thinkingBudget: 8192, includeThoughts: true },
    ],
    ['gemini-2.5-flash', { reasoning: { effort: 'none' } }, { thinkingBudget: 0 }],
    ['gemini-2.5-pro', { reasoning: { mode: 'off' } }, { thinkingBudget: 128 }],
    ['gemini-2.5-pro', { reasoning: { mode: 'adaptive' } }, { thinkingBudget: -1, includeThoughts: true }],
    [
      'gemini-2.5-pro',
      { reasoning: { mode: 'on', budgetTokens: 2000, show: false } },
      { thinkingBudget: 2000, includeThoughts: false },
    ],
    ['gemini-3-pro', { reasoning: { effort: 'medium' } }, { thinkingLevel: 'HIGH', includeThoughts: true }],
    [
      'gemini-3-flash',
      { reasoning: { effort: 'medium' } },
      { thinkingLevel: 'MEDIUM', includeThoughts: true },
    ],
    ['gemini-3-flash', { reasoning: { effort: 'none' } }, { thinkingLevel: 'MINIMAL' }],
    ['gemini-3.6-flash', { reasoning: { effort: 'none' } }, { thinkingLevel: 'MINIMAL' }],
    ['gemini-3.7-flash', { reasoning: { effort: 'none' } }, { thinkingLevel: 'LOW' }],
    ['gemini-3.8-flash', { reasoning: { mode: 'off' } }, { thinkingLevel: 'LOW' }],
    ['gemini-3.8-flash-lite', { reasoning: { mode: 'off' } }, { thinkingLevel: 'MINIMAL' }],
    ['gemini-flash-latest', { reasoning: { mode: 'off' } }, { thinkingLevel: 'LOW' }],
    ['gemini-4-argon', { reasoning: { mode: 'off' } }, { thinkingLevel: 'LOW' }],
    ['gemini-4-argon', { reasoning: { effort: 'minimal' } }, { thinkingLevel: 'LOW', includeThoughts: true }],
    [
      'gemini-4-argon',
      { reasoning: { effort: 'medium' } },
      { thinkingLevel: 'MEDIUM', includeThoughts: true },
    ],
    [
      'gemini-3-flash',
      { reasoning: { mode: 'on', budgetTokens: 9_000 } },
      { thinkingBudget: 9_000, includeThoughts: true },
    ],
    [
      'gemini-4-argon',
      { reasoning: { mode: 'on', budgetTokens: 9_000 } },
      { thinkingLevel: 'MEDIUM', includeThoughts: true },
    ],
    ['gemini-4-argon', { reasoning: { mode: 'adaptive' } }, { includeThoughts: true }],
    ['gemini-2.0-flash', { reasoning: { effort: 'high' } }, undefined],
  ])('reasoning of %s: %o', (model, request, expected) => {
    const config = written(request, model).body.generationConfig as JsonObject | undefined;
    expect(config?.thinkingConfig).toEqual(expected);
  });

  test('a spoken answer names its voice', () => {
    const { body } = written({ modalities: ['text', 'audio'], audio: { voice: 'Kore', format: 'wav' } });
    expect(body.generationConfig).toEqual({
      responseModalities: ['AUDIO'],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
    });
  });
});

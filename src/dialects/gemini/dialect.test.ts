import { describe, expect, test } from 'bun:test';
import type { JsonObject } from '../../core/json.ts';
import { noUsage } from '../../core/usage.ts';
import { carry } from '../carried.ts';
import { samePassage } from '../passage.ts';
import { gemini } from './dialect.ts';

const REQUEST: JsonObject = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
const facts = (change: JsonObject, model: string | undefined = 'gemini-x') =>
  gemini.readRequest({ ...REQUEST, ...change }, { model, stream: true });

/** The reason of the refusal. */
function refusal(change: JsonObject, model?: string): string {
  try {
    facts(change, model);
  } catch (error) {
    if (error instanceof Error && 'text' in error && typeof error.text === 'function')
      return error.text('en');
    throw error;
  }
  throw new Error('the request was accepted');
}

describe('requests', () => {
  test('a field in both spellings goes up once, as it was read', () => {
    const given = {
      contents: [{ parts: [{ text: 'x' }] }],
      generationConfig: { maxOutputTokens: 10, candidateCount: 1 },
      generation_config: { maxOutputTokens: 500, max_output_tokens: 20, other: 1 },
      own: true,
    };
    expect(facts(given)).toMatchObject({ outputCap: 20, choices: 1 });
    expect(gemini.forward(given, { model: 'm', stream: false, askUsage: false })).toEqual({
      contents: given.contents,
      generationConfig: { maxOutputTokens: 20, other: 1 },
      own: true,
    });
  });

  test('facts of a request, in either spelling', () => {
    const read = facts({
      system_instruction: { parts: [{ text: 'be brief' }] },
      generation_config: { max_output_tokens: 10, candidate_count: 2, response_modalities: ['AUDIO'] },
      cachedContent: 'cachedContents/1',
      contents: [
        {
          parts: [
            { text: 'é' },
            { inline_data: { mime_type: 'image/png', data: 'AAAA' } },
            { inlineData: { mimeType: 'audio/mp3', data: 'A'.repeat(2000) } },
            { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } },
          ],
        },
      ],
    });
    expect(read).toMatchObject({
      model: 'gemini-x',
      stream: true,
      outputCap: 10,
      choices: 2,
      audioOut: true,
      affinity: 'cachedContents/1',
      prompt: { textBytes: 10, images: [{ detail: 'auto' }], audioSeconds: 1.5, files: 1, fileBytes: 3 },
    });
  });

  test('a model may be named with its path', () => {
    expect(facts({}, 'models/gemini-x').model).toBe('gemini-x');
    expect(facts({}, 'publishers/google/models/gemini-x').model).toBe('gemini-x');
  });

  test.each<[JsonObject, string]>([
    [{ contents: undefined }, 'contents'],
    [{ contents: [] }, 'contents'],
    [{ contents: 'hi' }, 'contents'],
    [{ contents: Array(4097).fill({ parts: [] }) }, 'contents'],
    [{ contents: ['hi'] }, 'contents[0]'],
    [{ contents: [{ parts: 'hi' }] }, 'contents[0].parts'],
    [{ contents: [{ parts: [{ text: 5 }] }] }, 'contents[0].parts[0].text'],
    [{ generationConfig: { maxOutputTokens: 0 } }, 'generationConfig.maxOutputTokens'],
    [{ generationConfig: { max_output_tokens: 10_000_001 } }, 'generationConfig.maxOutputTokens'],
    [{ generationConfig: { maxOutputTokens: 2.5 } }, 'generationConfig.maxOutputTokens'],
    [{ generationConfig: { candidateCount: 129 } }, 'generationConfig.candidateCount'],
    [{ generationConfig: [] }, 'generationConfig'],
    [{ tools: 'f' }, 'tools'],
    [{ systemInstruction: 5 }, 'systemInstruction'],
  ])('%o is refused by its field', (change, field) => {
    expect(refusal(change)).toContain(`'${field}'`);
  });

  test('a NUL in the model is refused', () => {
    expect(refusal({}, 'a\0b')).toContain("'model'");
  });

  test('what goes up is what came, without thoughts of other makers', () => {
    const foreign = carry({ origin: 'anthropic-messages', signature: 'c2ln' }) ?? '';
    const body: JsonObject = {
      new_field: 1,
      contents: [
        {
          role: 'model',
          parts: [
            { text: 'hm', thought: true, thoughtSignature: foreign },
            { text: 'ok', thoughtSignature: 'c2ln' },
          ],
        },
        { role: 'model', parts: [{ text: 'hm', thought: true, thoughtSignature: foreign }] },
      ],
    };
    const set = { model: 'up', stream: true, askUsage: true };
    expect(gemini.forward(body, set)).toEqual({
      new_field: 1,
      contents: [{ role: 'model', parts: [{ text: 'ok', thoughtSignature: 'c2ln' }] }],
    });
    expect(gemini.forward(REQUEST, set)).toEqual(REQUEST);
  });

  test("the operator's text goes before the caller's, and only where it may", () => {
    const add = (change: JsonObject, override: boolean) =>
      gemini.addSystem({ ...REQUEST, ...change }, 'ours', override).systemInstruction;
    expect(add({}, false)).toEqual({ parts: [{ text: 'ours' }] });
    const theirs = { system_instruction: { parts: [{ text: 'theirs' }] } };
    expect(add(theirs, true)).toEqual({ parts: [{ text: 'ours' }, { text: 'theirs' }] });
    expect(gemini.addSystem({ ...REQUEST, ...theirs }, 'ours', false)).toEqual({ ...REQUEST, ...theirs });
  });
});

describe('answers', () => {
  test('a blocked prompt is an answer, an object without either is an error', () => {
    const blocked = gemini.readReply({ promptFeedback: { blockReason: 'SAFETY' } });
    expect(blocked).toMatchObject({ error: null, finishReason: 'SAFETY' });
    expect(gemini.readRefusal?.({ promptFeedback: { blockReason: 'SAFETY' } })).toMatchObject({
      code: 'content_filter',
      status: 400,
    });
    expect(gemini.readRefusal?.({ candidates: [{ finishReason: 'STOP' }] })).toBeNull();
    expect(gemini.readReply({}).error).not.toBeNull();
  });

  test('the error of an answer is told with its reason', () => {
    const error = {
      code: 400,
      message: 'API key not valid.',
      status: 'INVALID_ARGUMENT',
      details: [{ reason: 'API_KEY_INVALID' }],
    };
    expect(gemini.readReply({ error }).error).toEqual({
      message: 'API key not valid.',
      type: 'INVALID_ARGUMENT',
      code: 'API_KEY_INVALID',
    });
  });

  test('what was produced can be counted', () => {
    const parts = [
      { text: 'hm', thought: true },
      { text: 'ok' },
      { functionCall: { name: 'f', args: { x: 1 } } },
    ];
    const reply = gemini.readReply({ candidates: [{ content: { parts }, finishReason: 'STOP' }] });
    expect(reply.produced()).toMatchObject({ text: 'hmokf{"x":1}', toolCalls: 1 });
    expect(reply.finishReason).toBe('STOP');
  });
});

describe('streams', () => {
  const frame = (body: JsonObject) => ({ event: '', data: JSON.stringify(body) });
  const bytes = (body: JsonObject) => Buffer.from(`data: ${JSON.stringify(body)}\r\n\r\n`);
  const said = (text: string, tokens: number, more: JsonObject = {}): JsonObject => ({
    candidates: [{ content: { parts: [{ text }] }, index: 0, ...more }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: tokens },
  });

  test('the frame with the finish reason may be the last, though it may carry text', () => {
    const tap = gemini.tap({ wantsUsage: false });
    expect(tap.read(frame(said('', 0))).content).toBe(false);
    expect(tap.read(frame(said('a', 1)))).toMatchObject({ content: true, last: false, mayBeLast: false });
    expect(tap.complete).toBe(false);
    expect(tap.read(frame(said('b', 2, { finishReason: 'STOP' })))).toMatchObject({
      content: true,
      drop: false,
      last: false,
      mayBeLast: true,
      error: null,
    });
    expect(tap.complete).toBe(true);
    expect(tap.finishReason).toBe('STOP');
    expect(tap.usage).toEqual({ ...noUsage(), input: 5, output: 2 });
  });

  test('frames of mere text are not read, but their usage counts when nothing later says more', () => {
    const tap = gemini.tap({ wantsUsage: false });
    tap.read(frame(said('a', 1)));
    expect(tap.wants(bytes(said('b', 2)))).toBe(false);
    expect(tap.wants(bytes(said('c', 3)))).toBe(false);
    expect(tap.usage).toEqual({ ...noUsage(), input: 5, output: 3 });
    const last = said('d', 4, { finishReason: 'STOP' });
    expect(tap.wants(bytes(last))).toBe(true);
    tap.read(frame(last));
    expect(tap.usage).toMatchObject({ output: 4 });
  });

  test('of several answers the last one ends the stream', () => {
    const tap = gemini.tap({ wantsUsage: false });
    const both = (more: JsonObject[]): JsonObject => ({
      candidates: more.map((rest, index) => ({ content: { parts: [{ text: 'a' }] }, index, ...rest })),
    });
    expect(tap.read(frame(both([{}, {}]))).mayBeLast).toBe(false);
    expect(tap.read(frame(both([{ finishReason: 'STOP' }, {}]))).mayBeLast).toBe(false);
    expect(tap.read(frame(both([{ finishReason: 'STOP' }, { finishReason: 'STOP' }]))).mayBeLast).toBe(true);
  });

  test('a reason in every frame ends nothing but the last, and counts may follow it', () => {
    const asked = { contents: [{ parts: [{ text: 'hi' }] }] };
    const stream = samePassage(gemini).stream(gemini.readRequest(asked, { model: 'm', stream: true }));
    const stop = { finishReason: 'STOP' };
    const frames = [
      said('a', 1, stop),
      said('b', 2, stop),
      { usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 9 } },
    ];
    const written = frames.map(bytes);
    const outs = written.map((each) => stream.push(each).out);
    expect(outs).toEqual([null, written[0] ?? null, null]);
    expect(Buffer.from(stream.ending() ?? '').toString()).toBe(Buffer.concat(written.slice(1)).toString());
    expect(stream.usage).toMatchObject({ input: 5, output: 9 });
    expect(stream.complete).toBe(true);
  });

  test('a blocked prompt ends the stream, an error breaks it', () => {
    const blocked = { promptFeedback: { blockReason: 'OTHER' }, usageMetadata: { promptTokenCount: 9 } };
    const tap = gemini.tap({ wantsUsage: false });
    expect(tap.read(frame(blocked))).toMatchObject({ mayBeLast: true, content: false, error: null });
    expect(tap.usage).toMatchObject({ input: 9 });
    const error = { error: { code: 429, message: 'slow down', status: 'RESOURCE_EXHAUSTED' } };
    expect(gemini.tap({ wantsUsage: false }).read(frame(error))).toMatchObject({
      drop: true,
      error: { message: 'slow down', type: 'RESOURCE_EXHAUSTED' },
    });
  });
});

test.each([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [409, 'ABORTED'],
  [413, 'INVALID_ARGUMENT'],
  [422, 'INVALID_ARGUMENT'],
  [429, 'RESOURCE_EXHAUSTED'],
  [499, 'CANCELLED'],
  [500, 'INTERNAL'],
  [501, 'UNIMPLEMENTED'],
  [502, 'INTERNAL'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
])('status %d is the word %s', (code, status) => {
  const error = { status: code, code: 'some_code', message: 'Text (request id: 1)' };
  const body = gemini.errorBody(error);
  expect(body).toMatchObject({ error: { code, message: 'Text (request id: 1)', status } });
  expect(gemini.errorFrame(error)).toBe(`data: ${JSON.stringify(body)}\r\n\r\n`);
});

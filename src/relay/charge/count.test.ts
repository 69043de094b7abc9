import { beforeAll, describe, expect, it } from 'bun:test';
import { secondsOf } from '../../../tests/support/sound.ts';
import { ANYBODY, allTokenizersReady } from '../../../tests/support/tokenizer.ts';
import type { JsonObject } from '../../core/json.ts';
import { anthropicMessages } from '../../dialects/anthropic-messages/dialect.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { gemini } from '../../dialects/gemini/dialect.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { openaiRerank } from '../../dialects/plain/openai-rerank.ts';
import { countProduced, countTexts, countUsage } from './count.ts';
import { countTokens } from './tokens.ts';

beforeAll(allTokenizersReady);

const usageOf = (dialect: Dialect, body: Parameters<Dialect['readRequest']>[0], model: string) =>
  countUsage({ dialect, body, facts: dialect.readRequest(body, {}), ...ANYBODY }, model, 5);

const geminis = (body: JsonObject, model: string) =>
  countUsage({ dialect: gemini, body, facts: gemini.readRequest(body, { model }), ...ANYBODY }, model, 5);

/** A picture of 1,024 by 1,024 pixels, as far as its head tells. */
const PNG = Buffer.from([
  ...[0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 4, 0, 0, 0, 4, 0],
  ...[8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x49, 0x44, 0x41, 0x54],
]).toString('base64');

describe('what a call used', () => {
  it('is counted as OpenAI counts: texts and roles, three a message, three for the answer', async () => {
    const body = {
      model: 'gpt-4o',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Wie heißt die Hauptstadt?' },
      ],
    };
    const texts = await countTokens(
      ['system', 'Be brief.', 'user', 'Wie heißt die Hauptstadt?'],
      'gpt-4o',
      ANYBODY,
    );
    expect(await usageOf(openaiChat, body, 'gpt-4o')).toMatchObject({ input: texts + 9, output: 5 });
  });

  it('counts tools with a frame of their own', async () => {
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
    const messages = [{ role: 'user', content: 'hi' }];
    const bare = await usageOf(openaiChat, { model: 'gpt-4o', messages }, 'gpt-4o');
    const armed = await usageOf(openaiChat, { model: 'gpt-4o', messages, tools }, 'gpt-4o');
    expect(armed.input - bare.input).toBe(
      (await countTokens([JSON.stringify(tools)], 'gpt-4o', ANYBODY)) + 8,
    );
  });

  it('counts pictures as text by the rules of the vendor, and sounds apart', async () => {
    const content = [
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'high' } },
      { type: 'input_audio', input_audio: { data: secondsOf(1.01).toString('base64'), format: 'wav' } },
    ];
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content }] };
    // One token is the role; 765 the picture of 1,024 by 1,024; the sound lasts just over a second.
    expect(await usageOf(openaiChat, body, 'gpt-4o')).toMatchObject({ input: 1 + 6 + 765, inputAudio: 11 });
    expect(await usageOf(openaiChat, body, 'gemini-2.5-flash')).toMatchObject({ inputAudio: 33 });
  });

  it('counts what Gemini has signed as the thoughts that its reader is charged for', async () => {
    const signature = Buffer.alloc(3_000, 'Thought').toString('base64');
    const body = (thoughtSignature: string) => ({
      contents: [{ role: 'model', parts: [{ text: 'Yes.', thoughtSignature }] }],
    });
    const more = async (model: string) =>
      (await geminis(body(signature), model)).input - (await geminis(body(''), model)).input;
    expect([await more('gemini-4-argon'), await more('gemini-2.5-pro')]).toEqual([1_000, 0]);
  });

  it('counts Claude’s chats by weights and frames of their own', async () => {
    const body = {
      model: 'claude-opus-5',
      max_tokens: 10,
      messages: [{ role: 'user', content: 'hello, world' }],
    };
    // "user" and "hello, world" weigh 2 and 4; two tokens frame the message.
    expect(await usageOf(anthropicMessages, body, 'claude-opus-5')).toMatchObject({
      input: 8,
      inputAudio: 0,
    });
  });
});

it('counts the question of a ranking with each of its documents', async () => {
  const [query, documents] = ['Which is a capital?', ['Oslo', 'Bergen', 'Turku']];
  const [asked, answered] = await Promise.all([
    countTokens([query], 'm', ANYBODY),
    countTokens(documents, 'm', ANYBODY),
  ]);
  const body = { model: 'm', query, documents };
  expect(await countTexts({ dialect: openaiRerank, body, ...ANYBODY }, 'm')).toBe(3 * asked + answered);
});

it('adds seven tokens a call of a tool to what was produced', async () => {
  const text = 'weather{"city":"Oslo"}';
  const tokens = await countTokens([text], 'gpt-4o', ANYBODY);
  expect(await countProduced({ text, toolCalls: 2 }, 'gpt-4o', ANYBODY)).toBe(tokens + 14);
});

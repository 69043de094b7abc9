import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { ANYBODY } from '../../../tests/support/tokenizer.ts';
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { anthropicMessages } from '../../dialects/anthropic-messages/dialect.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { samePassage } from '../../dialects/passage.ts';
import { plainFacts } from '../../dialects/plain/plain.ts';
import { countTokens as countTexts } from '../charge/tokens.ts';
import { StreamMeter } from './meter.ts';

const countTokens = (text: string, model: string) => countTexts([text], model, ANYBODY);

const passage = samePassage(openaiChat).stream({
  ...openaiChat.readRequest({ model: 'm', messages: [{ role: 'user' }] }, {}),
});

const frame = (delta: object): Uint8Array =>
  new TextEncoder().encode(
    `data: ${JSON.stringify({ id: 'c', model: 'gpt-4o', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`,
  );

const metered = (texts: readonly string[], cap: number | null = null): StreamMeter => {
  const meter = new StreamMeter(cap);
  for (const content of texts) meter.add(frame({ content }), passage);
  return meter;
};

const words = Array.from({ length: 300 }, (_, i) => ` word${i}`);

describe('a stream meter', () => {
  it('guesses from the bytes alone, without taking the frames around the text for output', async () => {
    const meter = metered(words);
    const exact = await countTokens(words.join(''), 'gpt-4o');
    expect(meter.tokens).toBeGreaterThan(exact * 0.7);
    expect(meter.tokens).toBeLessThan(exact * 2);
  });

  it('knows what of it is text, without the frames around it', () => {
    expect(metered(words).textBytes).toBe(words.join('').length);
    const long = 'x'.repeat(9_000);
    expect(metered([long]).textBytes).toBe(long.length);
  });

  it('keeps what frames say that are alike in nothing else, and nothing more', async () => {
    const meter = new StreamMeter(null);
    const beside = 'x'.repeat((2 * limits.meterKeepBytes) / words.length);
    for (const [n, content] of words.entries()) meter.add(frame({ content, [`${n}`]: beside }), passage);
    meter.add(frame({ tool_calls: [{ index: 0, function: { name: 'weather', arguments: '' } }] }), passage);
    expect(meter.textBytes).toBe(`${words.join('')}weather`.length);
    expect(meter.isKept).toBe(true);
    const exact = (await countTokens(`${words.join('')}weather`, 'gpt-4o')) + 7;
    expect(await meter.count('gpt-4o', ANYBODY)).toBe(exact);
  });

  it('sees that something was thought, whatever was said before', () => {
    const meter = metered(words);
    expect(meter.thinks).toBe(false);
    meter.add(frame({ reasoning_content: 'Hm.' }), passage);
    expect(meter.thinks).toBe(true);
    const converted = new StreamMeter(null);
    converted.addProduced({ text: 'Hm.', toolCalls: 0, thinks: true });
    expect(converted.thinks).toBe(true);
  });

  it('does not guess beyond a cap that the upstream may still be honouring', () => {
    expect(metered(words, 10_000).tokens).toBe(metered(words).tokens);
    expect(metered(words.slice(0, 100), 250).tokens).toBeLessThanOrEqual(250);
  });

  it('notices an upstream that ignores the cap', () => {
    expect(metered(words, 10).tokens).toBeGreaterThan(10);
  });

  it('never guesses less as more comes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 40 }), { maxLength: 30 }),
        fc.option(fc.nat(100)),
        (texts, cap) => {
          const meter = new StreamMeter(cap);
          let last = 0;
          for (const content of ['first', ...texts]) {
            meter.add(frame({ content }), passage);
            expect(meter.tokens).toBeGreaterThanOrEqual(last);
            last = meter.tokens;
          }
        },
      ),
    );
  });

  it('counts the text exactly in the end, however it was cut', async () => {
    const text = words.join('');
    const cut = text.match(/.{1,7}/gs) ?? [];
    expect(await metered(cut).count('gpt-4o', ANYBODY)).toBe(await countTokens(text, 'gpt-4o'));
  });

  it('counts tool calls with their names and arguments, and seven more', async () => {
    const meter = new StreamMeter(null);
    const call = (fn: object) => frame({ tool_calls: [{ index: 0, function: fn }] });
    meter.add(call({ name: 'weather', arguments: '' }), passage);
    meter.add(call({ arguments: '{"city":"Oslo"}' }), passage);
    expect(await meter.count('gpt-4o', ANYBODY)).toBe(
      (await countTokens('weather{"city":"Oslo"}', 'gpt-4o')) + 7,
    );
  });

  it('counts what was too much to keep in proportion', async () => {
    const piece = ' and so on'.repeat(1_000);
    const count = Math.ceil((3 * limits.meterKeepBytes) / piece.length);
    const meter = metered(Array.from({ length: count }, () => piece));
    const exact = (await countTokens(piece, 'gpt-4o')) * count;
    const counted = await meter.count('gpt-4o', ANYBODY);
    expect(Math.abs(counted - exact)).toBeLessThan(exact * 0.02);
  });

  it('keeps the text itself of a stream that is read anyway', async () => {
    const meter = new StreamMeter(null);
    for (const text of words) meter.addProduced({ text, toolCalls: 0 });
    meter.addProduced({ text: 'weather', toolCalls: 1 });
    const exact = (await countTokens(`${words.join('')}weather`, 'gpt-4o')) + 7;
    expect(await meter.count('gpt-4o', ANYBODY)).toBe(exact);
    expect(meter.tokens).toBeGreaterThan(exact * 0.7);
    expect(meter.tokens).toBeLessThan(exact * 2);
  });

  it('tells what of it is a summary of the conversation', () => {
    const claude = samePassage(anthropicMessages).stream(plainFacts('m'));
    const meter = new StreamMeter(null);
    const add = (event: JsonObject) => {
      const bytes = new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`);
      claude.push(bytes);
      meter.add(bytes, claude);
    };
    add({ type: 'content_block_start', index: 0, content_block: { type: 'compaction', content: null } });
    expect(meter.summary).toBe(0);
    const content = words.join('');
    add({ type: 'content_block_delta', index: 0, delta: { type: 'compaction_delta', content } });
    add({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'So.' } });
    expect(meter.summary).toBe(Math.ceil(content.length / 3));
  });
});

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { carry, isCarried, uncarry } from './carried.ts';
import { unwrapCustomInput, wrapCustomInput } from './custom-tools.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1 });

test('a proof comes back as it went, with its maker', () => {
  const proof = fc.record(
    { signature: text, encrypted: text, id: text, summary: fc.constant(true) },
    { requiredKeys: ['signature'] },
  );
  fc.assert(
    fc.property(proof, (given) => {
      const carried = carry({ ...given, origin: 'gemini' }) ?? '';
      expect(isCarried(carried)).toBe(true);
      // Clients in typed languages decode such fields as bytes.
      expect(Buffer.from(carried, 'base64').toString('base64')).toBe(carried);
      expect(uncarry(carried, 'anthropic-messages')).toEqual({ ...given, origin: 'gemini' });
    }),
  );
});

test("any other text is the dialect's own signature", () => {
  fc.assert(
    fc.property(text, (signature) => {
      expect(isCarried(signature)).toBe(false);
      expect(uncarry(signature, 'anthropic-messages')).toEqual({ signature, origin: 'anthropic-messages' });
    }),
  );
});

test.each([
  '{"origin":"nobody","signature":"x"}',
  '{"origin":"gemini","signature":"x"}',
  '{"origin":"openai-chat"}',
  '{"origin":"openai-chat","signature":"x","text":"y"}',
  '{"origin":"openai-chat","signature":"\\u0078"}',
  '{"origin":"openai-chat","signature":"x","summary":"y"}',
  '{"origin":"openai-chat", "signature":"x"}',
  '{"origin":"openai-chat","signature":"x"',
])('what begins as a carried proof and was never made by it proves nothing: %s', (told) => {
  const forged = Buffer.from(told).toString('base64');
  expect(uncarry(forged, 'gemini')).toEqual({ origin: 'gemini' });
});

test('thinking without a proof carries nothing', () => {
  expect(carry({ origin: 'openai-chat' })).toBeUndefined();
});

test('free text for a custom tool comes back from its stand-in', () => {
  fc.assert(
    fc.property(fc.string(), (given) => {
      expect(unwrapCustomInput(JSON.stringify(wrapCustomInput(given)))).toBe(given);
    }),
  );
  expect(unwrapCustomInput('{"other":1}')).toBe('{"other":1}');
});

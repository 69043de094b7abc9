import { expect, spyOn, test } from 'bun:test';
import fc from 'fast-check';
import { MIB } from '../core/limits/sizes.ts';
import { limits } from '../core/limits.ts';
import { carry, isCarried, uncarry } from './carried.ts';
import { unwrapCustomInput, wrapCustomInput } from './custom-tools.ts';
import { writeOwnDetail } from './openai-chat/thinking-details.ts';
import { unsealed } from './proofs.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1 });

test('a proof comes back as it went, with its maker', () => {
  const proof = fc.record(
    { signature: text, encrypted: text, id: text, summary: fc.constant(true), mark: text },
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

/** How many texts are parsed meanwhile. */
function parsedBy(work: () => void): number {
  const parse = spyOn(JSON, 'parse');
  try {
    work();
    return parse.mock.calls.length;
  } finally {
    parse.mockRestore();
  }
}

test.each([
  ['lists', '{"origin":"openai-chat","a":[{"k":0}]}'],
  ['depth', '{"origin":"openai-chat","a":{}}'],
  [
    'more fields than one has',
    '{"origin":"openai-chat","signature":"x","a":1,"b":1,"c":1,"d":1,"e":1,"f":1}',
  ],
])('nothing is made of what cannot be a proof, carried or of the chat wire: %s', (_, told) => {
  const parsed = parsedBy(() => {
    expect(uncarry(Buffer.from(told).toString('base64'), 'gemini')).toEqual({ origin: 'gemini' });
    const part = { type: 'thinking', text: '', origin: 'openai-chat', signature: told } as const;
    expect([unsealed(part), writeOwnDetail(part)]).toEqual([[], undefined]);
  });
  expect(parsed).toBe(0);
});

test('a proof is carried with a picture in it, and no longer one is read', () => {
  const carried = (length: number) => carry({ origin: 'openai-chat', signature: 'x'.repeat(length) }) ?? '';
  expect(uncarry(carried(2 * MIB), 'gemini').signature?.length).toBe(2 * MIB);
  const long = carried(limits.carriedProofChars);
  expect(parsedBy(() => expect(uncarry(long, 'gemini')).toEqual({ origin: 'gemini' }))).toBe(0);
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

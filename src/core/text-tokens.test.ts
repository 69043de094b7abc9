import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { countTokens as cl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import type { Json } from './json.ts';
import { mostTokens, sizeOfBytes, sizeOfJson, sizeOfText } from './text-tokens.ts';

const AS_TEXT = { disallowedSpecial: new Set<string>() };
const counted = (text: string): number => Math.max(cl100k(text, AS_TEXT), o200k(text, AS_TEXT));
const most = (text: string): number => mostTokens(sizeOfText(text));
const ofJson = (text: string): number => sizeOfJson([text]).tokens;
const bytesOf = (text: string): number => Buffer.byteLength(text);

const PROSE =
  'It was a bright cold day in April, and the clocks were striking thirteen. "What is it?" said Winston; nobody knew. ';
const RULES = `- Always quote file paths that contain spaces with double quotes (e.g., cd "path with spaces/file.txt")
- You can specify an optional timeout in milliseconds (up to 600000ms); avoid commands like \`find\` and \`grep\` here.
`;
const CODE = `function add(a, b) {\n  // Returns the sum of both.\n  const sum = a + b;\n  return sum;\n}\n`;

describe('the most tokens of a text', () => {
  it.each([
    ['prose', PROSE.repeat(50)],
    ['a short text', 'Hi, Bob! It is 5 pm.'],
    ['Russian', 'Искусственный интеллект помогает людям. '.repeat(20)],
    ['Chinese', '人工智能是计算机科学的一个分支，它企图了解智能的实质。'.repeat(20)],
    ['Hindi', 'कृत्रिम बुद्धिमत्ता मानव के विपरीत है। '.repeat(20)],
  ])('are half of its bytes: %s', (_, text) => {
    expect(most(text)).toBe(Math.ceil(bytesOf(text) / 2));
    expect(most(text)).toBeGreaterThanOrEqual(counted(text));
  });

  it('are little more than that of code', () => {
    const text = CODE.repeat(20);
    expect(most(text) / bytesOf(text)).toBeWithin(0.5, 0.55);
  });

  it.each([
    ['figures', '8274918237'.repeat(100)],
    ['figures apart', '3 7 1 9 '.repeat(100)],
    ['figures in letters', 'a1b2c3d4'.repeat(100)],
    ['marks', '~)#}{[-(*&^%$@!'.repeat(70)],
    ['lone letters on lines', 'a\nb\nc\n'.repeat(200)],
    ['capitals', 'XQZJKVWQ'.repeat(100)],
  ])('are its bytes: %s', (_, text) => {
    expect(most(text)).toBe(bytesOf(text));
  });

  it.each([
    ['Amharic', 'ሰው ሰራሽ የማሰብ ችሎታ '.repeat(20)],
    ['Armenian', 'Արհեստական բանականություն '.repeat(20)],
    ['Georgian', 'ხელოვნური ინტელექტი '.repeat(20)],
    ['Yi', 'ꀀꀁꀂꀃꀄ'.repeat(50)],
    ['old letters', '𐎠𐎡𐎢𐎣'.repeat(50)],
    ['signs of mathematics', '⨋⨌⨍⨎⟰⟱'.repeat(50)],
  ])('of a script that vocabularies hardly know cover what is counted: %s', (_, text) => {
    expect(most(text)).toBeGreaterThanOrEqual(counted(text));
  });

  it('are never fewer than tokenizers make of runs of anything between words', () => {
    const from = (chars: string, maxLength = 40) =>
      fc.array(fc.constantFrom(...chars), { minLength: 1, maxLength }).map((all) => all.join(''));
    const run = fc.oneof(
      from('0123456789'),
      from('~!@#$%^&*()_+-=[]{}|;:\'",.<>/?`\\\n\t'),
      from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', 80),
      from('0123456789abcdef', 64),
      from('ሀለሐመሠረሰቀበተ'),
      from('ԱԲԳԴԵԶԷԸ'),
      from('ꀀꀁꀂꀃꀄꀅ'),
      from('𐎠𐎡𐎢𐎣'),
      fc.constantFrom('a1b1', 'x.y.z', 'of,to,in', ' the ', 'word', ' and then some more '),
    );
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 30 }), (runs) => {
        const text = runs.join('');
        // A short text has eight bytes that are no letters for nothing, as any other.
        expect(most(text) + 8).toBeGreaterThanOrEqual(counted(text));
        expect(most(text)).toBeLessThanOrEqual(bytesOf(text));
      }),
      { numRuns: 500 },
    );
  });

  it('is the same however a text is cut on its way', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 200 });
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 1, max: 2_000 }),
        fc.integer({ min: 1, max: 7 }),
        (piece, times, cut) => {
          const whole = piece.repeat(times);
          const bytes = Buffer.from(whole);
          const pieces = Array.from({ length: cut }, (_, n) =>
            bytes.subarray((n * bytes.length) / cut, ((n + 1) * bytes.length) / cut),
          );
          expect(sizeOfBytes(pieces)).toEqual(sizeOfText(whole));
          expect(sizeOfText(whole).bytes).toBe(bytes.length);
        },
      ),
    );
  });
});

describe('the most tokens of the JSON of tools', () => {
  const ofTool = (description: string) => {
    const text = JSON.stringify([
      { type: 'function', function: { name: 'get_weather', description, parameters: { type: 'object' } } },
    ]);
    return { text, most: ofJson(text) };
  };

  it('are half of its bytes, however many of them are marks of JSON', () => {
    const plain = ofTool('Get the current weather in a given location, e.g. San Francisco, CA.');
    expect(plain.most).toBe(Math.ceil(bytesOf(plain.text) / 2));
    expect(plain.most).toBeGreaterThanOrEqual(counted(plain.text));
    const bare = JSON.stringify(Array.from({ length: 30 }, () => [{ a: { b: null, c: [] } }, { '': '' }]));
    expect(ofJson(bare)).toBe(Math.ceil(bytesOf(bare) / 2));
    expect(ofJson(bare)).toBeGreaterThanOrEqual(counted(bare));
  });

  it.each([1, 2, 3, 4, 5, 6])('cover words of noise that each stand alone: of %i letters', (length) => {
    const letters = (n: number) =>
      Array.from({ length }, (_, at) => String.fromCharCode(97 + ((n * 73 + at * 31 + (n >> 3) * 17) % 26)));
    const text = JSON.stringify({ enum: Array.from({ length: 500 }, (_, n) => letters(n).join('')) });
    expect(ofJson(text)).toBeGreaterThanOrEqual(counted(text));
  });

  it('are hardly ever fewer than tokenizers make of marks and single letters, and then by a fifth at the most', () => {
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<Json>('', 'a', 'type', 'not_so_short', null, true),
        fc.array(tie('value'), { maxLength: 5 }),
        fc.dictionary(fc.constantFrom('', 'b', 'of', 'required', 'x y'), tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 10 }), (all) => {
        const text = JSON.stringify(Array.from({ length: 20 }, () => all));
        expect(ofJson(text)).toBeGreaterThanOrEqual(0.8 * counted(text));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['prose', PROSE.repeat(50)],
    ['rules in lines', RULES.repeat(20)],
    ['code', CODE.repeat(20)],
    ['Chinese', '人工智能是计算机科学的一个分支，它企图了解智能的实质。'.repeat(20)],
  ])('are half of its bytes: %s', (_, description) => {
    const { text, most: bound } = ofTool(description);
    expect(bound).toBeGreaterThanOrEqual(counted(text));
    expect(bound).toBeLessThanOrEqual(Math.ceil(bytesOf(text) / 2));
  });

  it('are no fewer than the same words are elsewhere, wherever they stand in it', () => {
    const words = fc.array(
      fc.oneof(
        fc.constantFrom(
          ' a',
          'qz',
          'x7',
          '中',
          '한',
          'A',
          '[',
          ':',
          '"',
          '\\',
          '\n',
          '\\"',
          '\u0001',
          ' word',
        ),
        fc.string({ unit: 'grapheme', maxLength: 4 }),
      ),
      { minLength: 1, maxLength: 200 },
    );
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 20 }), (all, times) => {
        const said = all.join('').repeat(times);
        const places: Json[] = [
          { description: said },
          { properties: { [said]: { type: 'string' } } },
          { enum: [...all, said] },
        ];
        for (const place of places) expect(ofJson(JSON.stringify(place))).toBeGreaterThanOrEqual(most(said));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['figures', '8274918237'.repeat(300), 3_000],
    ['marks', '~)#}{[-(*&^%$@!'.repeat(200), 3_000],
    ['letters of a rare script', 'ሰው ሰራሽ የማሰብ ችሎታ '.repeat(100), 0],
    ['single letters', ' a b'.repeat(2_000), 4_000],
    ['marks of JSON', '[{:,'.repeat(1_000), 4_000],
    [
      'base64',
      Buffer.from(Array.from({ length: 3_000 }, (_, n) => (n * 73 + (n >> 3) * 31) % 256)).toString('base64'),
      0,
    ],
  ])('cover what somebody hides in them: %s', (_, description, least) => {
    const { text, most: bound } = ofTool(description);
    expect(bound).toBeGreaterThanOrEqual(Math.max(counted(text), least));
  });
});

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { mostPictureTokens, type Picture, pictureTokens } from './picture-tokens.ts';

const image = (width: number, height: number, detail: Picture['detail'] = 'high') => ({
  width,
  height,
  detail,
});

test.each([
  ['gpt-4o', 1024, 1024, 'high', 765],
  ['gpt-4o', 2048, 4096, 'high', 1105],
  ['gpt-4o', 2048, 4096, 'low', 85],
  ['openai/gpt-4o-2024-08-06', 512, 512, 'auto', 255],
  ['gpt-4o-mini', 1024, 1024, 'high', 25501],
  ['gpt-4.1-mini', 1024, 1024, 'high', 1659],
  ['gpt-4.1-mini', 1800, 2400, 'low', 2353],
  ['claude-sonnet-4-5', 750, 750, 'high', 750],
  ['qwen-vl', 4000, 4000, 'high', 1600],
  ['qwen-vl-max', 1024, 1024, 'auto', 37 * 37 + 2],
  ['qwen3-vl-plus', 4000, 3000, 'auto', 2562],
  ['doubao-1-5-vision-pro-32k', 1920, 1080, 'low', 1312],
  ['pixtral-12b-2409', 1024, 768, 'auto', 65 * 48],
  ['gemini-2.5-flash', 384, 384, 'high', 258],
  ['gemini-2.5-flash', 385, 100, 'high', 258],
  ['google/gemini-2.5-pro', 1600, 900, 'high', 6 * 258],
  ['glm-4v-plus', 100, 100, 'high', 1047],
  ['gpt-5', 1024, 1024, 'high', 70 + 4 * 140],
  ['gpt-5.4', 4032, 3024, 'auto', 2_942],
  ['gpt-5.5', 4032, 3024, 'auto', 11_868],
  ['gpt-5.5-2026-04-23', 4032, 3024, 'high', 2_942],
  ['openai/gpt-6-sol', 4032, 3024, 'high', 2_942],
  ['gpt-6-sol', 4032, 3024, 'low', 2_942],
  ['gpt-6-sol', 2560, 1440, 'high', 2_931],
  ['gpt-6-sol', 4032, 3024, 'original', 14_364],
  ['gpt-6-sol', 65_535, 20, 'high', 2_458],
  ['o3', 1024, 1024, 'high', 75 + 4 * 150],
  ['jina-clip-v1', 448, 225, 'auto', 2 * 2 * 1_000],
  ['jina-clip-v2', 600, 600, 'auto', 4 * 4_000],
  ['jina-embeddings-v4', 5_000, 4_000, 'auto', 179 * 143 * 10],
  ['jina-reranker-m0', 28, 29, 'auto', 2 * 10],
] as const)(
  'a picture for %s of %i by %i at %s detail costs %i tokens',
  (model, width, height, detail, tokens) => {
    expect(pictureTokens(model, image(width, height, detail))).toBe(tokens);
  },
);

test('a picture of unknown size costs the most that the model counts', () => {
  expect(pictureTokens('gpt-4o', { detail: 'auto' })).toBe(85 + 8 * 170);
});

describe('what is held for a picture is never less than its vendor is known to count', () => {
  const SMALL = image(16, 16, 'auto');
  test.each<[model: string, picture: Picture, tokens: number]>([
    // Allotted whatever the size (ai.google.dev/gemini-api/docs/media-resolution), and twice that for one part.
    ['gemini-3-pro-preview', SMALL, 1_120],
    ['google/gemini-3.5-flash', { ...SMALL, detail: 'original' }, 2_240],
    ['gemini-flash-latest', SMALL, 1_120],
    ['gemini-4-argon', { ...SMALL, detail: 'original' }, 2_240],
    ['gemini-pro-latest', SMALL, 1_120],
    ['gemini-3.1-pro-preview', { ...SMALL, tokens: 16_384 }, 16_384],
    ['gemini-3.1-pro-preview', { ...SMALL, tokens: 70 }, 2_240],
    ['gpt-5.4-mini', image(1600, 1600, 'low'), 1_843],
    ['gpt-5.2', image(1600, 1600), 1_843],
    ['gpt-5.4', image(1600, 1600), 3_000],
    ['gpt-5.4', image(3200, 3200, 'original'), 12_000],
    // Little detail may be more than high, as any was up to GPT-5.2 (its guide's table of sizing by model).
    ['gpt-5.4-mini', image(2048, 2048, 'low'), 4_916],
    ['gpt-5.2', image(2048, 2048), 4_916],
    // Told of live calls (vybestack/llxprt-code#3483, JOHNISKING/image-token-cost, docs.apiyi.com on large pictures).
    ['gpt-5.6-sol', image(4000, 2500, 'auto'), 11_850],
    ['gpt-6-sol', image(4032, 3024, 'auto'), 14_364],
    ['azure/gpt-6-sol', image(3840, 2160, 'original'), 9_792],
    ['gpt-6-luna', image(2560, 1440, 'auto'), 4_320],
    ['gpt-6.1-sol', image(9000, 6000, 'auto'), 63_600],
    ['gpt-chat-latest', { detail: 'auto' }, 14_364],
    // Of small ones from then on nothing is known: as of those before them.
    ['gpt-6-sol-mini', image(1600, 1600), 4_300],
    ['openai/gpt-5.6-sol-nano', image(1600, 1600), 6_150],
    ['gpt-5.5-mini', image(1600, 1600), 4_300],
    ['gpt-5.5-nano', image(1600, 1600), 6_150],
    ['claude-opus-4-7', image(2576, 2576), 4_784],
    ['anthropic/claude-opus-4.8', image(2576, 2576), 4_784],
    ['claude-sonnet-5', image(2576, 2576), 4_784],
    ['claude-haiku-5-5', image(2576, 2576), 4_784],
    ['claude-mythos-5-1', image(2576, 2576), 4_784],
    ['gpt-image-1', SMALL, 6_240],
    // Nobody here knows the size: of what scaling leaves, one of 3,072 by 384 has the most squares, of 256 pixels each.
    ['gemini-2.5-flash', { detail: 'auto' }, 24 * 258],
    ['google/gemini-1.5-pro', { detail: 'low' }, 24 * 258],
    // Squares are cut by the shorter side, of 256 pixels at the least (firebase.google.com/docs/vertex-ai).
    ['gemini-2.5-pro', image(960, 540), 6 * 258],
    ['gemini-2.0-flash', image(2_000, 300), 8 * 2 * 258],
    ['grok-4', SMALL, 1_792],
    // As they are served at the size that they come in (docs.siliconflow.cn, vision).
    ['Qwen/Qwen2.5-VL-72B-Instruct', image(3_136, 4_060), 16_240],
    ['Qwen/Qwen2.5-VL-72B-Instruct', { detail: 'auto' }, 16_384],
    ['THUDM/GLM-4.1V-9B-Thinking', { detail: 'auto' }, 6_144],
    ['qwen-vl-ocr-latest', { detail: 'auto' }, 8_192],
    ['doubao-seed-1-6-vision-250815', image(2_048, 2_048), 5_120],
    ['dola-seed-2-1-turbo-260628', image(2_048, 2_048), 5_120],
    ['bytedance-seed/seed-2.1-turbo', image(2_048, 2_048), 5_120],
    ['THUDM/GLM-4.1V-9B-Thinking', image(2_240, 2_240), 6_144],
    ['pixtral-large-latest', image(1_024, 1_024), 4_160],
    ['qwen3-vl-plus', { ...SMALL, detail: 'original' }, 16_384],
  ])('%s, %p: %i', (model, picture, tokens) => {
    expect(mostPictureTokens(model, picture)).toBeGreaterThanOrEqual(tokens);
  });

  /** From there on OpenAI asks for twice as much of all of a prompt. */
  const LONG_PROMPT = 272_000;

  test.each<[model: string, detail: Picture['detail'], tokens: number]>([
    ['gpt-5.6-sol', 'auto', 14_364],
    ['gpt-6-sol', 'high', 3_000],
    ['gpt-6.2-astra', 'auto', 14_364],
    ['gpt-7', 'original', 14_364],
    ['gpt-5.5', 'auto', 12_000],
    ['gpt-5.4', 'original', 12_000],
  ])(
    'for %s at %s detail, of a size that nobody here knows, a phone’s photo, and twelve are no long prompt',
    (...of) => {
      const [model, detail, tokens] = of;
      expect(mostPictureTokens(model, { detail })).toBe(tokens);
      expect(12 * tokens).toBeLessThan(LONG_PROMPT);
    },
  );

  test.each([
    ['gpt-4o', 1024, 1024, 765],
    ['gpt-5', 1024, 1024, 630],
    ['gpt-5-codex', 1024, 1024, 630],
    ['gpt-4.1-mini', 1024, 1024, 1659],
    ['gemini-2.5-flash', 384, 384, 258],
    ['claude-sonnet-4-5-20250929', 750, 750, 750],
    ['claude-opus-4-1', 3000, 3000, 1600],
    ['claude-3-7-sonnet-latest', 3000, 3000, 1600],
  ])('and of %s, whose rule is known, at %i by %i exactly that: %i', (model, width, height, tokens) => {
    expect(mostPictureTokens(model, image(width, height))).toBe(tokens);
  });

  const openais = [
    'gpt-4o',
    'gpt-5',
    'gpt-5.4',
    'gpt-5.4-nano',
    'gpt-5.5',
    'gpt-6',
    'o4-mini',
    'gpt-image-1',
  ];
  const others = ['gemini-2.5-pro', 'gemini-3-pro', 'claude-opus-4-1', 'claude-opus-5', 'glm-4v', 'm'];
  const scaled = ['glm-4.1v-9b', 'qwen-vl', 'doubao-vision', 'pixtral-12b'];
  const model = fc.constantFrom(...openais, ...others, ...scaled);
  const pictureUpTo = (max: number) => {
    const side = fc.option(fc.integer({ min: 1, max }), { nil: undefined });
    const detail = fc.constantFrom('low', 'high', 'auto', 'original' as const);
    return fc.record({ detail, width: side, height: side });
  };

  test('nor less than what is counted here', () => {
    fc.assert(
      fc.property(model, pictureUpTo(20_000), (model, picture) => {
        const counted = pictureTokens(model, picture);
        expect(counted).toBeGreaterThan(0);
        expect(mostPictureTokens(model, picture)).toBeGreaterThanOrEqual(counted);
      }),
    );
  });

  test('and for one of unknown size no less than for any that is not scaled', () => {
    fc.assert(
      fc.property(model, pictureUpTo(3_072), (model, picture) => {
        const { detail } = picture;
        expect(mostPictureTokens(model, { detail })).toBeGreaterThanOrEqual(
          mostPictureTokens(model, picture),
        );
      }),
    );
  });
});

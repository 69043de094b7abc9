/**
 * How many output tokens a picture takes that a model draws, by its vendor's rules. One table of families says it, for what
 * is held as for what is counted where nothing was told.
 */
import { bareName } from './model-families.ts';
import { type AskedPicture, plainSize } from './picture-price.ts';

export interface AskedDrawing extends AskedPicture {
  /** Pictures that are shown half-done. */
  partial?: number;
}

/** Those that are less than the finest somewhere. */
type Quality = (typeof QUALITIES)[number];
const QUALITIES = ['low', 'medium', 'high', 'xhigh'] as const;

interface Family {
  name: RegExp;
  /** Tokens of a square of 1024, by its quality; `most` for the finest, and for what is not known. */
  square: Partial<Record<Quality, number>> & { most: number };
  /** What the largest takes, of models whose pictures do not cost by their area. */
  largest?: number;
  /** The area, over that of the square, of a picture whose size is the model's choice. */
  chosen?: number;
  /** Thoughts and words beside the picture, which count as output too. */
  beside: number;
}

/** Words that newer models have before they draw. */
const WORDS = 256;
/** Models that think before they draw; how much is nowhere said. */
const THOUGHTS = 1_536;

/** The first that fits holds. */
const FAMILIES: readonly Family[] = [
  // The table in developers.openai.com/api/docs/guides/image-generation: 6,240 tokens for 1024x1536, which it may choose.
  {
    name: /gpt-image-1|gpt-5-image/,
    square: { low: 272, medium: 1056, most: 4160 },
    chosen: 1.5,
    beside: WORDS,
  },
  // As its calculator has it; what low and medium take of 2.6 is not said there: up to four times as much, by what calls told.
  {
    name: /gpt-image-2\.6/,
    square: { low: 1024, medium: 1756, high: 1756, xhigh: 3122, most: 7024 },
    beside: WORDS,
  },
  {
    name: /gpt-image-2\.5/,
    square: { low: 196, medium: 439, high: 1756, xhigh: 3122, most: 7024 },
    beside: WORDS,
  },
  /*
   * By the calculator there a square takes the second power of 16, 48 or 96 (low, medium, high) times (2,000,000 + its
   * pixels) / 4,000,000, and other shapes take less: that grows more slowly than the area, by which it is held.
   */
  { name: /gpt.*image/, square: { low: 196, medium: 1756, most: 7024 }, beside: WORDS },
  // Every shape alike (ai.google.dev/gemini-api/docs/pricing).
  { name: /gemini-2.*image/, square: { most: 1290 }, largest: 1290, beside: WORDS },
  // docs.cloud.google.com/vertex-ai/generative-ai/docs/models/gemini/3-1-flash-image and .../3-pro-image: by 1K, 2K and 4K.
  { name: /gemini.*image|nano-banana/, square: { most: 1120 }, largest: 2520, beside: THOUGHTS },
];
/** A model that goes by a name of somebody's own is held as the dearest that is known. */
const ANY: Family = { name: /^/, square: { most: 7024 }, beside: WORDS };

/** OpenAI counts so many for each that is shown half-done. */
const PARTIAL_TOKENS = 100;

const familyOf = (model: string): Family | undefined => {
  const name = bareName(model).toLowerCase();
  return FAMILIES.find((family) => family.name.test(name));
};

/** Whether its pictures are known to be made of output tokens. */
export const drawsTokens = (model: string): boolean => familyOf(model) !== undefined;

/** As many as a picture of its own takes, where nothing was told. */
export const drawingTokens = (model: string, asked: AskedDrawing): number =>
  tokensIn(familyOf(model) ?? ANY, asked);

/** What is held for it, with what is said and thought beside it. */
export function mostDrawingTokens(model: string, asked: AskedDrawing): number {
  const family = familyOf(model) ?? ANY;
  return tokensIn(family, asked) + family.beside;
}

function tokensIn(
  { square, largest, chosen = 1 }: Family,
  { size, quality, partial = 0 }: AskedDrawing,
): number {
  const known = QUALITIES.find((one) => one === quality);
  const each = (known && square[known]) ?? square.most;
  const tokens = Math.ceil(each * (areaOf(size) ?? chosen));
  return Math.min(tokens, largest ?? tokens) + PARTIAL_TOKENS * partial;
}

/** No model draws a larger one than 8,192 by 8,192. */
const AREA_MOST = 64;

/** Over that of a square of 1024, and never less: small pictures are not cheaper. Null where it says none. */
function areaOf(size = ''): number | null {
  const plain = plainSize(size);
  if (plain === null) return AREA_MOST;
  const [, width, height = width] = /^(\d+)(?:x(\d+)|k)$/.exec(plain) ?? [];
  if (width === undefined) return null;
  const unit = plain.endsWith('k') ? 1 : 1024;
  const area = (Number(width) / unit) * (Number(height) / unit);
  return Math.min(Math.max(area, 1), AREA_MOST);
}

/** The model whose pictures the prices of the tool are for: a picture of its own choice of size, drawn from words alone. */
const OF_TOOL = 'gpt-image-1';
/** It sells a token that it reads of a picture at a quarter of one that it draws (OpenAI's price list). */
const READ_SHARE = 4;
/** A picture to draw from: the most pieces of a usual one, and what a close look adds (OpenAI's guide to its pictures). */
const READ_TOKENS = 65 + 4 * 129;
const CLOSE_TOKENS = 6240;

export interface AskedOfTool extends AskedDrawing {
  model?: string;
  /** Pictures that it may draw from, and whether it looks at them closely. */
  reads: number;
  isClose: boolean;
}

/** As how many pictures one is charged that a chat has drawn, where its price is that of a usual one of this quality. */
export function picturesOfTool({ model = OF_TOOL, reads, isClose, ...asked }: AskedOfTool): number {
  const read = reads * (READ_TOKENS + (isClose || model !== OF_TOOL ? CLOSE_TOKENS : 0));
  const tokens = drawingTokens(model, asked) + read / READ_SHARE;
  return Math.ceil(tokens / drawingTokens(OF_TOOL, { quality: asked.quality }));
}

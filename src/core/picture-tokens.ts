/**
 * How many tokens a picture costs by its vendor's rules, and how many it can cost at the most. The second is what is held:
 * newer models cut pictures into more pieces than the older ones of a like name, so that a name which fits no rule to the
 * letter is held as the dearest of its family.
 */
import { bareName, GEMINI_UP_TO_2 } from './model-families.ts';

export interface Picture {
  /** How closely it is looked at; `original` asks for as much as the model can see. */
  detail: 'low' | 'high' | 'auto' | 'original';
  width?: number;
  height?: number;
  /** As many tokens as it is asked to be made of, whatever its size. */
  tokens?: number;
  /** How often it is read, as one that is asked about is with each document; once where it is absent. */
  times?: number;
}

/** Width and height in pixels; null where nobody here knows them. */
type Size = readonly [width: number, height: number] | null;
type Rule = (size: Size, detail: Picture['detail'], asked?: number) => number;

interface Family {
  name: RegExp;
  /** What its names say besides, if anything. */
  size?: RegExp;
  counted: Rule;
  /** The same where it is absent. */
  most?: Rule;
}

// ---- OpenAI (platform.openai.com/docs/guides/images-vision) --------------------------------------------------------

/** Two by four tiles are the most that scaling leaves. */
const UNKNOWN_TILES: [number, number] = [2048, 768];

/** Tiles of 512 pixels on top of a base, which is all that a look at low detail costs. */
const tiles =
  (base: number, tile: number): Rule =>
  (size, detail) =>
    detail === 'low' ? base : base + tileCount(...(size ?? UNKNOWN_TILES)) * tile;

/** Scaled into 2,048 by 2,048, then down to 768 on the shorter side, then counted in squares of 512. */
function tileCount(width: number, height: number): number {
  const fit = Math.min(1, 2048 / Math.max(width, height));
  const short = Math.min(1, 768 / (Math.min(width, height) * fit));
  const scale = fit * short;
  return Math.ceil(Math.round(width * scale) / 512) * Math.ceil(Math.round(height * scale) / 512);
}

const PATCH = 32;
/** How many patches of a picture each detail leaves at the most; more are scaled down. */
type PatchesMost = Readonly<Record<Picture['detail'], number>>;

const OLDER: PatchesMost = { low: 1_536, high: 1_536, auto: 1_536, original: 1_536 };
/** What is looked at with little detail up to GPT-5.4, and with any up to 5.2, may be of 2,048 pixels either way. */
const UP_TO_5_4: PatchesMost = { low: 4_096, high: 2_500, auto: 2_500, original: 10_000 };
const UP_TO_5_4_MOST: PatchesMost = { ...UP_TO_5_4, high: 4_096, auto: 4_096 };
/** From GPT-5.5 on pictures are seen as they are sent where nothing else is said. Low has been seen to cost as any. */
const OF_5_5: PatchesMost = { low: 2_500, high: 2_500, auto: 10_000, original: 10_000 };
/**
 * Then they are scaled no more. What is beyond 30,000 patches its guide says to be refused, and so it was of some; of others
 * 53,000 were told (docs.apiyi.com/en/faq/vision-image-too-large).
 */
const SINCE_5_6: PatchesMost = {
  ...OF_5_5,
  auto: Number.POSITIVE_INFINITY,
  original: Number.POSITIVE_INFINITY,
};

/**
 * A phone's photo, of twelve megapixels: what a picture is taken for that is read as it is and that nobody here sees. Larger
 * ones are rare, and twelve of a camera's were held at the price of long prompts, which small balances do not have.
 */
const PHONES: [number, number] = [4_032, 3_024];

/** Patches of 32 by 32 pixels, at so many tokens each. */
const patches =
  (factor: number, most = OLDER): Rule =>
  (size, detail) =>
    Math.ceil(patchCount(size, most[detail]) * factor);

function patchCount(size: Size, most: number): number {
  const [width, height] = size ?? PHONES;
  const plain = Math.ceil(width / PATCH) * Math.ceil(height / PATCH);
  if (plain <= most || !size) return Math.min(plain, most);
  let scale = Math.sqrt((PATCH * PATCH * most) / (width * height));
  const [across, down] = [(width * scale) / PATCH, (height * scale) / PATCH];
  scale *= Math.min(wholePatches(across) / across, wholePatches(down) / down);
  return Math.min(Math.ceil((width * scale) / PATCH) * Math.ceil((height * scale) / PATCH), most);
}

/** Patches of one side, of which even the narrowest has one. */
const wholePatches = (patches: number): number => Math.max(1, Math.floor(patches));

/**
 * Models that draw look at what they are to change as tiles, scaled to 512 on the shorter side, and at high fidelity at
 * 6,240 tokens more; which fidelity a model takes where none is said, changes from one to the next.
 */
const DRAWN_OVER_MOST = 6_240 + 65 + 129 * 4;

// ---- Google (ai.google.dev/gemini-api/docs/tokens, .../media-resolution) -------------------------------------------

const GEMINI_TOKENS = 258;
const GEMINI_SMALL = 384;
const GEMINI_SQUARE = 768;
/** A picture of at most 384 pixels either way counts once, a larger one by its squares of 768. */
const squares: Rule = (size) => {
  const [width, height] = size ?? UNKNOWN_TILES;
  if (Math.max(width, height) <= GEMINI_SMALL) return GEMINI_TOKENS;
  return Math.ceil(width / GEMINI_SQUARE) * Math.ceil(height / GEMINI_SQUARE) * GEMINI_TOKENS;
};
/** Larger ones are scaled into 3,072 either way, of which one as narrow as the smallest are has the most crops. */
const GEMINI_FINEST: [number, number] = [3_072, GEMINI_SMALL];
/**
 * The same by crops as fine as they are described: squares of the shorter side by 1.5, of 256 to 768 pixels, each counted
 * as a whole one (firebase.google.com/docs/vertex-ai/input-file-requirements).
 */
const crops: Rule = (size, detail) => {
  const [width, height] = size ?? GEMINI_FINEST;
  if (Math.max(width, height) <= GEMINI_SMALL) return squares(size, detail);
  const crop = Math.min(Math.max(Math.floor(Math.min(width, height) / 1.5), 256), GEMINI_SQUARE);
  return Math.ceil(width / crop) * Math.ceil(height / crop) * GEMINI_TOKENS;
};
/** From Gemini 3 on a picture of any size is allotted so many, and twice as many where a part asks for it. */
const GEMINI_ALLOTTED = 1_120;
const allotted =
  (most: number): Rule =>
  (_size, _detail, asked = 0) =>
    Math.max(most, asked);

// ---- Others --------------------------------------------------------------------------------------------------------

/** One token for so many pixels, of a picture that is scaled to the most. */
const pixels =
  (each: number, most: number): Rule =>
  (size) =>
    size ? Math.min(Math.ceil((size[0] * size[1]) / each), most) : most;

/** Claude's (docs.claude.com/en/docs/build-with-claude/vision); from Opus 4.7 on at up to 2,576 pixels. */
const CLAUDE_PIXELS = 750;
const CLAUDE_MOST = 1_600;
const NEWER_CLAUDE_MOST = 4_784;

/** Tokens for squares of so many pixels either way, each that was begun, up to the most. */
const grid =
  (side: number, most: number): Rule =>
  (size) =>
    size ? Math.min(Math.ceil(size[0] / side) * Math.ceil(size[1] / side), most) : most;

/** Such squares of Qwen's, of Doubao's and of most open models. */
const SIDE = 28;
/** The most of a picture that is asked to be looked at as it is, and two tokens around it. */
const ORIGINAL_SQUARES = 16_384;
const AROUND = 2;
/**
 * Qwen's, and open ones of others: of one of usual size Alibaba's own see fewer squares (alibabacloud.com/help/en/
 * model-studio/vision), and what is served elsewhere as many as there are (docs.siliconflow.cn, vision).
 */
const scaled =
  (rule: Rule, original = ORIGINAL_SQUARES): Rule =>
  (size, detail) =>
    AROUND + (detail === 'original' ? original : rule(size, detail));

/** One for 784 pixels, by its detail (volcengine.com/docs/82379/1362931). */
const doubao: Rule = (size, detail) => grid(SIDE, detail === 'low' ? 1_312 : 5_120)(size, detail);

/** Patches of 16 pixels with a break after each row, of a picture that is scaled into 1,024 by 1,024 (Mistral's card of it). */
const pixtral: Rule = (size) => {
  const [width, height] = size ?? [1_024, 1_024];
  const fit = Math.min(1, 1_024 / Math.max(width, height));
  return (Math.ceil((width * fit) / 16) + 1) * Math.ceil((height * fit) / 16);
};

/** As large as cameras make them. */
const CAMERAS: [number, number] = [5_184, 3_888];
/** Jina reads a picture whole, each tile that was begun at so many (jina.ai/embeddings): no context bounds them. */
const whole =
  (side: number, tile: number): Rule =>
  (size) => {
    const [width, height] = size ?? CAMERAS;
    return Math.ceil(width / side) * Math.ceil(height / side) * tile;
  };

/** Vendors that tell no rule count less than Claude, as a rule. */
const usual = pixels(CLAUDE_PIXELS, CLAUDE_MOST);
/**
 * The usual squares, and for a small picture the tiles of Grok, which are filled; under a name that says nothing there may be
 * one of Qwen's.
 */
const OTHER_LEAST = 1_792;
const OTHER_MOST = 4_096;
const dearest = scaled((size, detail) => Math.max(OTHER_LEAST, grid(SIDE, OTHER_MOST)(size, detail)));

/** OpenAI's whose rule it tells by name: all of one count alike. */
const TOLD: readonly Family[] = [
  { name: /^gpt-4o-mini/, counted: tiles(2833, 5667) },
  { name: /^computer-use-preview/, counted: tiles(65, 129) },
  { name: /^gpt-4\.1-mini/, counted: patches(1.62), most: patches(1.62, UP_TO_5_4_MOST) },
  { name: /^gpt-4\.1-nano/, counted: patches(2.46) },
  { name: /^(gpt-4|chatgpt-4o)/, counted: tiles(85, 170) },
  { name: /^o4-mini/, counted: patches(1.72) },
  { name: /^o[13](-|$)/, counted: tiles(75, 150) },
  { name: /^gpt-5-mini/, counted: patches(1.62) },
  { name: /^gpt-5-nano/, counted: patches(2.46) },
  { name: /^gpt-5(-(chat|codex|20\d\d)|$)/, counted: tiles(70, 140) },
];
/** A patch cost the most by the smallest that are known; of those to come nobody knows. */
const SIZES: readonly [size: RegExp, factor: number][] = [
  [/nano/, 2.46],
  [/mini/, 1.72],
  [/^/, 1.2],
];
const ofAnySize = (name: RegExp, counted: PatchesMost, most = counted): Family[] =>
  SIZES.map(([size, factor]) => ({
    name,
    size,
    counted: patches(1.2, counted),
    most: patches(factor, most),
  }));
/** The first that fits holds. */
const FAMILIES: readonly Family[] = [
  ...TOLD,
  { name: /^(gpt|chatgpt)-image/, counted: usual, most: () => DRAWN_OVER_MOST },
  ...ofAnySize(/^gpt-5[.-]5(?!\d)/, OF_5_5),
  ...ofAnySize(/^gpt-([6-9]|[12]\d|5[.-]([6-9]|[12]\d)(?!\d)|(chat-)?latest)/, SINCE_5_6),
  ...ofAnySize(/^(gpt-|chatgpt-|o\d)/, UP_TO_5_4, UP_TO_5_4_MOST),
  { name: GEMINI_UP_TO_2, counted: squares, most: crops },
  { name: /^gemini/, counted: allotted(GEMINI_ALLOTTED), most: allotted(2 * GEMINI_ALLOTTED) },
  {
    name: /^claude-(instant|v\d|[123]\b|(haiku|sonnet|opus)-4(-[0-6])?(-20\d{6})?$|.*-4\.[0-6]$)/,
    counted: usual,
  },
  { name: /^claude/, counted: pixels(CLAUDE_PIXELS, NEWER_CLAUDE_MOST) },
  { name: /^glm-4v/, counted: () => 1047 },
  // What its open ones are published with; those that are sold tell no other.
  { name: /^glm/, counted: usual, most: scaled(grid(SIDE, 6_144)) },
  { name: /^qwen.*ocr/, counted: scaled(grid(SIDE, 8_192), 30_000) },
  { name: /^(qwen|qvq).*-(max|plus|flash|turbo)/, counted: scaled(grid(SIDE, 2_560)) },
  { name: /^(qwen|qvq)/, counted: usual, most: scaled(grid(SIDE, ORIGINAL_SQUARES)) },
  // Under each of their maker's names.
  { name: /^(doubao|dola|seed-\d)/, counted: doubao },
  { name: /^pixtral/, counted: pixtral },
  { name: /^jina-clip-v1/, counted: whole(224, 1_000) },
  { name: /^jina-clip/, counted: whole(512, 4_000) },
  { name: /^jina-(embeddings-v4|reranker-m0)/, counted: whole(SIDE, 10) },
];
const ANY: Family = { name: /^/, counted: usual, most: dearest };

function familyOf(model: string): Family {
  const name = bareName(model).toLowerCase();
  return FAMILIES.find((family) => family.name.test(name) && family.size?.test(name) !== false) ?? ANY;
}

/** Whether two models are known to make as many tokens of any picture. */
export const isSeenAlike = (one: string, other: string): boolean => {
  const family = familyOf(one);
  return TOLD.includes(family) && family === familyOf(other);
};

const sizeOf = ({ width, height }: Picture): Size => (width && height ? [width, height] : null);

/** As the vendor counts it, where nothing was told. */
export const pictureTokens = (model: string, picture: Picture): number =>
  familyOf(model).counted(sizeOf(picture), picture.detail, picture.tokens);

/** What is held for it. */
export const mostPictureTokens = (model: string, picture: Picture): number => mostTokensOf(model)(picture);

/** The same for any number of them. */
export function mostTokensOf(model: string): (picture: Picture) => number {
  const { counted, most = counted } = familyOf(model);
  return (picture) => {
    const { detail, tokens } = picture;
    const size = sizeOf(picture);
    return Math.max(counted(size, detail, tokens), most(size, detail, tokens));
  };
}

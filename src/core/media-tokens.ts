/** How many tokens pictures, sounds and files of a prompt cost by its vendor's rules; the most, where size or rule is unknown. */

export interface PromptMedia {
  images: readonly { detail: 'low' | 'high' | 'auto'; width?: number; height?: number }[];
  audioSeconds: number;
  /** It is charged by the second where nobody counts it otherwise: a transcription. */
  bySecond?: boolean;
  files: number;
  fileBytes: number;
  /** Of those that are films; where their bytes do not tell, the most that they can be. */
  videoSeconds?: number;
  /** How many of their frames are looked at; one a second where it is absent. */
  videoFrames?: number;
  /** There is one whose length only the upstream can tell. */
  unseenFilm?: boolean;
}

interface Tiles {
  base: number;
  tile: number;
}

/** OpenAI's tile models, the longest name first. */
const TILE_MODELS: readonly [prefix: string, tiles: Tiles][] = [
  ['gpt-4o-mini', { base: 2833, tile: 5667 }],
  ['computer-use-preview', { base: 65, tile: 129 }],
  ['gpt-4o', { base: 85, tile: 170 }],
  ['chatgpt-4o', { base: 85, tile: 170 }],
  ['gpt-4', { base: 85, tile: 170 }],
  ['gpt-5', { base: 70, tile: 140 }],
  ['o1', { base: 75, tile: 150 }],
  ['o3', { base: 75, tile: 150 }],
];

/** OpenAI's patch models: how many tokens a patch of 32 by 32 pixels costs. */
const PATCH_MODELS: readonly [prefix: string, factor: number][] = [
  ['gpt-4.1-mini', 1.62],
  ['gpt-4.1-nano', 2.46],
  ['o4-mini', 1.72],
  ['gpt-5-mini', 1.62],
  ['gpt-5-nano', 2.46],
];

const PATCHES_MAX = 1536;
/** A picture of unknown size: two by four tiles are the most that scaling leaves. */
const UNKNOWN: [number, number] = [2048, 768];
/** Claude counts about width × height / 750 and at most 1,600; vendors that tell no rule less. */
const PIXELS_A_TOKEN = 750;
const OTHER_IMAGE_MAX = 1600;
/** Gemini counts a picture of at most 384 pixels either way once, a larger one by its squares of 768. */
const GEMINI_SMALL = 384;
const GEMINI_SQUARE = 768;
const GEMINI_TOKENS = 258;
const GLM_4V_TOKENS = 1047;

const nameOf = (model: string): string => model.slice(model.lastIndexOf('/') + 1);

export function imageTokens(model: string, image: PromptMedia['images'][number]): number {
  const name = nameOf(model);
  const [width, height] = image.width && image.height ? [image.width, image.height] : UNKNOWN;
  const patch = PATCH_MODELS.find(([prefix]) => name.startsWith(prefix));
  if (patch) return Math.ceil(patches(width, height) * patch[1]);
  const tiles = TILE_MODELS.find(([prefix]) => name.startsWith(prefix))?.[1];
  if (tiles) return image.detail === 'low' ? tiles.base : tiles.base + tileCount(width, height) * tiles.tile;
  if (isGemini(name)) return geminiSquares(width, height) * GEMINI_TOKENS;
  if (name.startsWith('glm-4v')) return GLM_4V_TOKENS;
  return Math.min(Math.ceil((width * height) / PIXELS_A_TOKEN), OTHER_IMAGE_MAX);
}

const isGemini = (name: string): boolean => name.startsWith('gemini');

const geminiSquares = (width: number, height: number): number =>
  Math.max(width, height) <= GEMINI_SMALL
    ? 1
    : Math.ceil(width / GEMINI_SQUARE) * Math.ceil(height / GEMINI_SQUARE);

/** Scaled into 2,048 by 2,048, then down to 768 on the shorter side, then counted in squares of 512. */
function tileCount(width: number, height: number): number {
  const fit = Math.min(1, 2048 / Math.max(width, height));
  const short = Math.min(1, 768 / (Math.min(width, height) * fit));
  const scale = fit * short;
  return Math.ceil(Math.round(width * scale) / 512) * Math.ceil(Math.round(height * scale) / 512);
}

function patches(width: number, height: number): number {
  const plain = Math.ceil(width / 32) * Math.ceil(height / 32);
  if (plain <= PATCHES_MAX) return plain;
  let scale = Math.sqrt((32 * 32 * PATCHES_MAX) / (width * height));
  const [across, down] = [(width * scale) / 32, (height * scale) / 32];
  scale *= Math.min(Math.floor(across) / across, Math.floor(down) / down);
  return Math.min(Math.ceil((width * scale) / 32) * Math.ceil((height * scale) / 32), PATCHES_MAX);
}

/** OpenAI counts a token each tenth of a second, Gemini 32 a second, the most of all vendors. */
const OPENAI_AUDIO_A_SECOND = 10;
const AUDIO_A_SECOND = 32;
const OPENAI_NAME = /^(gpt|chatgpt|o\d|whisper)/;

const audioTokens = (model: string, seconds: number): number =>
  Math.ceil(seconds * (OPENAI_NAME.test(nameOf(model)) ? OPENAI_AUDIO_A_SECOND : AUDIO_A_SECOND));

/** What sounds cost at the most, whoever hears them. */
export const mostAudioTokens = (seconds: number): number => Math.ceil(seconds * AUDIO_A_SECOND);

/** A minute of speech counts as a thousand tokens of input: at a ratio of 3 that is OpenAI's $0.006. */
const SPEECH_A_MINUTE = 1000;

/** What a transcription is charged by the second; each that was begun counts. */
export const speechTokens = (seconds: number): number =>
  Math.round((Math.ceil(Math.max(seconds, 0)) * SPEECH_A_MINUTE) / 60);

/** What comes out: OpenAI makes a token of a twentieth of a second that it speaks, Gemini of a twenty-fifth. */
const OPENAI_SPOKEN_A_SECOND = 20;
const GEMINI_SPOKEN_A_SECOND = 25;
/** A picture: Gemini's, and OpenAI's at the usual quality. */
const GEMINI_PICTURE = 1290;
const OTHER_PICTURE = 1584;

export const spokenTokens = (model: string, seconds: number): number =>
  Math.ceil(seconds * (isGemini(nameOf(model)) ? GEMINI_SPOKEN_A_SECOND : OPENAI_SPOKEN_A_SECOND));

export const drawnTokens = (model: string, pictures: number): number =>
  pictures * (isGemini(nameOf(model)) ? GEMINI_PICTURE : OTHER_PICTURE);

/** The most that sounds and pictures of an answer cost, whoever made them. */
export const mostMediaTokens = (seconds: number, pictures: number): number =>
  Math.ceil(seconds * GEMINI_SPOKEN_A_SECOND) + pictures * OTHER_PICTURE;

/** A file costs about 5,000 tokens in the middle; dense text files a token each few bytes. */
const FILE_TOKENS = 5000;
const FILE_BYTES_A_TOKEN = 20;

/** Gemini counts a film by its frames, as pictures, and the sound of each second; no context is longer than this. */
const FILM_MOST = 1_048_576;

const documentTokens = ({ files, fileBytes }: PromptMedia): number =>
  Math.max(files * FILE_TOKENS, Math.ceil(fileBytes / FILE_BYTES_A_TOKEN));

const filmTokens = ({ videoSeconds = 0, videoFrames = videoSeconds }: PromptMedia): number =>
  Math.min(Math.ceil(videoFrames * GEMINI_TOKENS + videoSeconds * AUDIO_A_SECOND), FILM_MOST);

/** A token of what is no document takes a few bytes of its file. */
const DENSE_BYTES_A_TOKEN = 4;
/** Each page is also looked at as a picture, of which newer models make more pieces than the rules that are known. */
const PAGE_LEAST = 2500;

/**
 * The most tokens that the files of a prompt can come to, of which a model reads no more than its context. Of some nobody
 * here knows the size: documents that are packed in unusual ways, and (`unseen`) those whose bytes are not here.
 */
export function fileTokensMost(
  model: string,
  media: PromptMedia & { unsized?: boolean; pages?: number; shownBytes?: number },
  unseen: boolean,
  context: number,
): number {
  const films = media.unseenFilm ? FILM_MOST : filmTokens(media);
  if (unseen || media.unsized) return context + films;
  const { pages = 0, shownBytes = 0 } = media;
  const page = Math.max(imageTokens(model, { detail: 'high' }), PAGE_LEAST);
  const dense = Math.ceil(media.fileBytes / DENSE_BYTES_A_TOKEN);
  const documents = Math.max(documentTokens(media), dense, pages * page + shownBytes);
  return Math.min(documents, context) + films;
}

/** Tokens for the media of a prompt, by what they are charged as. */
export const mediaTokens = (model: string, media: PromptMedia) => ({
  imageTokens: media.images.reduce((sum, image) => sum + imageTokens(model, image), 0),
  audioTokens: Math.max(
    audioTokens(model, media.audioSeconds),
    media.bySecond ? speechTokens(media.audioSeconds) : 0,
  ),
  fileTokens: Math.max(documentTokens(media), filmTokens(media)),
});

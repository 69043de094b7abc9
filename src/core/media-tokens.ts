/** How many tokens pictures, sounds and files of a prompt cost by its vendor's rules; the most, where size or rule is unknown. */

import { bareName, isGemini, isOpenAis, isQwen } from './model-families.ts';
import { mostTokensOf, type Picture, pictureTokens } from './picture-tokens.ts';

export interface PromptMedia {
  images: readonly Picture[];
  audioSeconds: number;
  /** It is charged by the second where nobody counts it otherwise: a transcription. */
  bySecond?: boolean;
  /** Sounds that earlier answers have spoken, each as often as it is read. */
  spoken?: readonly Spoken[];
  files: number;
  fileBytes: number;
  /** Of those that are films; where their bytes do not tell, the most that they can be. */
  videoSeconds?: number;
  /** How many of their frames are looked at; one a second where it is absent. */
  videoFrames?: number;
  /** There is one whose length only the upstream can tell. */
  unseenFilm?: boolean;
  /** What is unseen of it may be of any kind. */
  unseenKind?: boolean;
  /** How many contexts of its own its files are read in, as what is embedded or ranked is; one for all where it is absent. */
  reads?: number;
}

/** A sound of an earlier answer by the name that its service has for it. */
export interface Spoken {
  /** As many as it was spoken in; null where nobody knows. */
  tokens: number | null;
  /** Seconds of the sound that stands beside its name, which are among those of the prompt; and those that are known. */
  seconds: number;
  knownSeconds?: number;
}

/** The longest answer of models that speak (platform.openai.com/docs/models). */
const LONGEST_SPOKEN = 16_384;

type Sounds = Pick<PromptMedia, 'audioSeconds' | 'spoken'>;

/**
 * OpenAI counts a token each tenth of a second ("1 token per 100 ms of audio", its guide to costs of Realtime; six hundred
 * of a minute in what its transcriptions tell), Gemini 32 a second, the most of all vendors.
 */
const OPENAI_AUDIO_A_SECOND = 10;
const AUDIO_A_SECOND = 32;

const heardASecond = (model: string): number =>
  isOpenAis(bareName(model)) ? OPENAI_AUDIO_A_SECOND : AUDIO_A_SECOND;

/** Which of a sound and its name is read nobody here knows: the longer is added to what the other counts as. */
const spokenBeyond = (model: string, { tokens, seconds }: Spoken): number =>
  Math.max((tokens ?? LONGEST_SPOKEN) - Math.floor(seconds * heardASecond(model)), 0);

const audioTokens = (model: string, { audioSeconds, spoken = [] }: Sounds): number =>
  spoken.reduce(
    (sum, each) => sum + spokenBeyond(model, each),
    Math.ceil(audioSeconds * heardASecond(model)),
  );

/** What sounds cost at the most, whoever hears them. */
export const mostAudioTokens = (seconds: number): number => Math.ceil(seconds * AUDIO_A_SECOND);

/** A minute of speech counts as a thousand tokens of input: at a ratio of 3 that is OpenAI's $0.006. */
const SPEECH_A_MINUTE = 1000;

/** What a transcription is charged by the second; each that was begun counts. */
export const speechTokens = (seconds: number): number =>
  Math.round((Math.ceil(Math.max(seconds, 0)) * SPEECH_A_MINUTE) / 60);

/** What the sounds of a prompt cost, which is held as well: their length is known. */
export const heardTokens = (model: string, media: Sounds & Pick<PromptMedia, 'bySecond'>): number =>
  Math.max(audioTokens(model, media), media.bySecond ? speechTokens(media.audioSeconds) : 0);

/** What comes out: OpenAI makes a token of a twentieth of a second that it speaks, Gemini of a twenty-fifth. */
const OPENAI_SPOKEN_A_SECOND = 20;
const GEMINI_SPOKEN_A_SECOND = 25;
/** A picture: Gemini's, and OpenAI's at the usual quality. */
const GEMINI_PICTURE = 1290;
const OTHER_PICTURE = 1584;

export const spokenTokens = (model: string, seconds: number): number =>
  Math.ceil(seconds * (isGemini(bareName(model)) ? GEMINI_SPOKEN_A_SECOND : OPENAI_SPOKEN_A_SECOND));

export const drawnTokens = (model: string, pictures: number): number =>
  pictures * (isGemini(bareName(model)) ? GEMINI_PICTURE : OTHER_PICTURE);

/** The most that sounds and pictures of an answer cost, whoever made them. */
export const mostMediaTokens = (seconds: number, pictures: number): number =>
  Math.ceil(seconds * GEMINI_SPOKEN_A_SECOND) + pictures * OTHER_PICTURE;

/** A file costs about 5,000 tokens in the middle; dense text files a token each few bytes. */
const FILE_TOKENS = 5000;
const FILE_BYTES_A_TOKEN = 20;

/** Gemini counts a film by its frames, as small pictures, and the sound of each second; no context is longer than this. */
const FRAME_TOKENS = 258;
const FILM_MOST = 1_048_576;

const documentTokens = ({ files, fileBytes }: PromptMedia): number =>
  Math.max(files * FILE_TOKENS, Math.ceil(fileBytes / FILE_BYTES_A_TOKEN));

/** Qwen's look at two frames a second at the least, and make up to so many tokens of each two. */
const QWEN_PAIR_TOKENS = 768;
const QWEN_FRAMES_A_SECOND = 2;

function filmTokens(
  model: string,
  { videoSeconds = 0, videoFrames = videoSeconds, reads = 1 }: PromptMedia,
): number {
  const tokens = isQwen(bareName(model))
    ? (Math.max(videoFrames, videoSeconds * QWEN_FRAMES_A_SECOND) / 2) * QWEN_PAIR_TOKENS
    : videoFrames * FRAME_TOKENS + videoSeconds * AUDIO_A_SECOND;
  return Math.min(Math.ceil(tokens), FILM_MOST * reads);
}

/** A token of what is no document takes a few bytes of its file. */
const DENSE_BYTES_A_TOKEN = 4;
/** Each page is also looked at as a picture, of which newer models make more pieces than the rules that are known. */
const PAGE_LEAST = 2500;

interface PromptFiles extends PromptMedia {
  unsized?: boolean;
  pages?: number;
  shownBytes?: number;
  /** In how many of the contexts there is a file whose size nobody here knows. */
  unsizedReads?: number;
  /** In how many of those it is a film. */
  unsizedFilms?: number;
}

/** Tokens of files, by what they are charged as. */
export interface FileTokens {
  text: number;
  films: number;
  /** Of files of which nobody here knows what they are. */
  unsized: number;
}

/**
 * The most tokens that the files of a prompt can come to, of which a model reads no more than its context. Of some nobody
 * here knows the size: documents that are packed in unusual ways, and (`unseen`) those whose bytes are not here.
 */
export function fileTokensMost(
  model: string,
  media: PromptFiles,
  unseen: boolean,
  context: number,
): FileTokens {
  const { reads, unsizedReads = 0, unsizedFilms = 0 } = media;
  if (reads !== undefined) {
    const unsized = Math.max(unsizedReads, unseen ? 1 : 0);
    const room = (reads - unsized) * context;
    const films = Math.min(filmTokens(model, media), room);
    const text = Math.min(documentTokensMost(model, media), room - films);
    return { text, films: films + unsizedFilms * context, unsized: (unsized - unsizedFilms) * context };
  }
  const films = media.unseenFilm ? FILM_MOST : filmTokens(model, media);
  if (unseen && media.unseenKind) return { text: 0, films, unsized: context };
  if (unseen || media.unsized) return { text: context, films, unsized: 0 };
  return { text: Math.min(documentTokensMost(model, media), context), films, unsized: 0 };
}

function documentTokensMost(model: string, media: PromptFiles): number {
  const { pages = 0, shownBytes = 0 } = media;
  const page = Math.max(pictureTokens(model, { detail: 'high' }), PAGE_LEAST);
  const dense = Math.ceil(media.fileBytes / DENSE_BYTES_A_TOKEN);
  return Math.max(documentTokens(media), dense, pages * page + shownBytes);
}

/** The most tokens that the pictures of a prompt can come to. */
export function mostImageTokens(model: string, { images }: Pick<PromptMedia, 'images'>): number {
  if (images.length === 0) return 0;
  const most = mostTokensOf(model);
  return images.reduce((sum, image) => sum + most(image) * (image.times ?? 1), 0);
}

/** Tokens for the media of a prompt, by what they are charged as. */
export const mediaTokens = (model: string, media: PromptMedia) => {
  const videoTokens = filmTokens(model, media);
  return {
    imageTokens: media.images.reduce(
      (sum, image) => sum + pictureTokens(model, image) * (image.times ?? 1),
      0,
    ),
    audioTokens: heardTokens(model, media),
    videoTokens,
    // A film is one of the files as well.
    fileTokens: Math.max(documentTokens(media) - videoTokens, 0),
  };
};

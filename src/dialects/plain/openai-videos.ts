/**
 * Films by OpenAI's Videos API: a call submits one and is answered by the object `video`, which is then asked for until it
 * is completed (the `openai` package 7.55, `resources/videos`). Its price is that of the seconds that it asks for, so that
 * nothing goes up but what is read here.
 */
import type { Json, JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { plainName } from '../../core/model-families.ts';
import { nowSec } from '../../core/time.ts';
import { DEFAULT_FILM_SIZE, filmSecondsIn, videoObject } from '../../core/video-object.ts';
import { isAbsent, modelIn, refuse, wrong } from '../bounds.ts';
import type { FormFile } from '../dialect.ts';
import { objectOf, textOf } from '../fields.ts';
import { checkWebAddress } from '../media.ts';
import { either, object, reads, TEXT } from '../other-texts.ts';
import { plainDialect, plainFacts, plainReply, promptOf } from './plain.ts';
import { type TaskDialect, taskNameIn } from './task.ts';

const DEFAULT_MODEL = 'sora-2';
const DEFAULT_SECONDS = '4';
/** A prompt is some lines. */
const PROMPT_SHOWN = 4_000;

const FIELDS = ['model', 'prompt', 'seconds', 'size', 'input_reference'];
/** The way in which forms write an object. */
const REFERENCE_ADDRESS = 'input_reference[image_url]';

/** How long it shall be, as a text. Throws `invalid_request`. */
function secondsIn({ seconds }: JsonObject): string {
  if (isAbsent(seconds)) return DEFAULT_SECONDS;
  const text = typeof seconds === 'number' ? String(seconds) : (textOf(seconds) ?? '');
  if (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= limits.videoSecondsMax) return text;
  throw refuse('seconds', {
    zh: `应为 1 到 ${limits.videoSecondsMax} 的整数`,
    en: `a whole number from 1 to ${limits.videoSecondsMax} is expected`,
  });
}

/** Empty for none. Throws `invalid_request`. */
function sizeIn({ size }: JsonObject): string {
  if (isAbsent(size)) return '';
  const text = textOf(size) ?? '';
  if (/^[1-9]\d{1,3}x[1-9]\d{1,3}$/.test(text)) return text;
  throw refuse('size', { zh: '应形如 1280x720', en: 'a size like 1280x720 is expected' });
}

/** The address of the picture that it begins with; null for none, or for a file. Throws `invalid_request`. */
function pictureIn({ input_reference: reference, [REFERENCE_ADDRESS]: inForm }: JsonObject): string | null {
  const given = inForm ?? (typeof reference === 'string' ? reference : objectOf(reference)?.image_url);
  if (isAbsent(given)) {
    // A file of the account is refused by the rules of bodies, unless it is shared.
    if (isAbsent(reference) || objectOf(reference)?.file_id !== undefined) return null;
    throw refuse('input_reference', wrong.object);
  }
  if (typeof given !== 'string' || given === '') throw refuse('input_reference', wrong.string);
  checkWebAddress(given, 'input_reference');
  return given;
}

function checkFiles(files: readonly FormFile[]): void {
  const [other] = files.filter(({ name }) => name !== 'input_reference');
  if (other) throw refuse(other.name, wrong.otherFile);
  if (files.length > 1) throw refuse('input_reference', wrong.oneFile);
}

function checkPrompt({ prompt }: JsonObject): void {
  if (isAbsent(prompt)) throw refuse('prompt', wrong.missing);
  if (typeof prompt !== 'string') throw refuse('prompt', wrong.string);
  if (prompt.trim() === '') throw refuse('prompt', wrong.empty);
}

/** What a call asks for, as vendors of other wires are asked for it. */
export interface AskedFilm {
  prompt: string;
  seconds: number;
  /** Null where none was asked for. */
  size: { width: number; height: number } | null;
  /** The address of the picture that it begins with, or its bytes as an address; null for none. */
  picture: string | null;
}

/** `file`: the picture of a form as an address with its bytes. Throws `invalid_request` for a file of another account. */
export function askedFilm(body: JsonObject, file: string | null = null): AskedFilm {
  const [width, height] = sizeIn(body).split('x').map(Number);
  const picture = file ?? pictureIn(body);
  if (picture === null && !isAbsent(body.input_reference)) {
    throw refuse('input_reference', {
      zh: '此模型的渠道只接受图片文件或地址',
      en: 'channels of this model take pictures as files or by their address',
    });
  }
  return {
    prompt: textOf(body.prompt) ?? '',
    seconds: Number(secondsIn(body)),
    size: width && height ? { width, height } : null,
    picture,
  };
}

/**
 * Models that read settings in a prompt itself (`--dur 10 --rs 1080p`): Seedance, and Wan 2.1 where it stands beside it
 * (volcengine.com/docs/82379/1520757), whoever has them made there. The name of an endpoint (`ep-…`) tells no model.
 */
const READS_SETTINGS = /seedance|^wanx?-?2-1(?!\d)|^ep-/;
/** Phones make one long dash of two. */
const SETTINGS = /(?:--|[\u2012-\u2015\u2212\uff0d])(?=[a-z])/gi;

/** By settings a caller would get more seconds, or more pixels, than he pays for. */
function withoutSettings(body: JsonObject, model: string): JsonObject {
  const { prompt } = body;
  if (typeof prompt !== 'string' || !READS_SETTINGS.test(plainName(model))) return body;
  const left = prompt.replace(SETTINGS, '- ');
  return left === prompt ? body : { ...body, prompt: left };
}

const textsIn = ({ prompt }: JsonObject): string[] => [textOf(prompt) ?? ''].filter(Boolean);

/** Spellings of fields need no rules of their own: those that are not read here stay behind. */
const base = plainDialect({
  reads: reads([...FIELDS, REFERENCE_ADDRESS], {
    input_reference: either(TEXT, object(reads(['image_url', 'file_id']))),
  }),
  readRequest(body, { files = [] }) {
    checkPrompt(body);
    checkFiles(files);
    pictureIn(body);
    const seconds = secondsIn(body);
    const size = sizeIn(body);
    return plainFacts(modelIn(body.model ?? DEFAULT_MODEL), {
      prompt: promptOf(textsIn(body)),
      callFactor: Number(seconds),
      filmSize: size || DEFAULT_FILM_SIZE,
      noted: { seconds, ...(size && { size }) },
    });
  },
  promptTexts: textsIn,
  asReadBy: (body, { model }) => withoutSettings(body, model),
  readReply(body) {
    const id = taskNameIn(objectOf(body)?.id);
    const facts = plainReply(body, () => ({ usage: null, missing: id ? null : 'video id' }));
    return id ? { ...facts, answerId: id } : facts;
  },
});

export const openaiVideos: TaskDialect = {
  ...base,
  task: {
    platform: 'video',
    action: () => 'VIDEO',
    ours: [],
    only: [...FIELDS, REFERENCE_ADDRESS, 'input_reference[file_id]'],
    // Said also where the caller left it to the upstream, whose own default may be longer than what is paid.
    sent: (body) => ({ ...body, seconds: secondsIn(body) }),
    input: (body): JsonObject => ({
      prompt: (textOf(body.prompt) ?? '').slice(0, PROMPT_SHOWN),
      seconds: secondsIn(body),
      size: sizeIn(body),
    }),
    told(film, asked): JsonObject {
      const seconds = filmSecondsIn(film.seconds);
      return seconds === null || seconds === Number(secondsIn(asked))
        ? {}
        : { told_seconds: String(seconds) };
    },
    reply: (publicId, _answer, _action, asked): JsonObject =>
      videoObject({
        publicId,
        model: modelOf(asked),
        status: 'SUBMITTED',
        progress: 0,
        prompt: textOf(asked.prompt) ?? '',
        seconds: secondsIn(asked),
        size: sizeIn(asked),
        createdSec: nowSec(),
        completedSec: 0,
        expiresSec: 0,
        failure: '',
      }),
  },
};

const modelOf = ({ model }: { model?: Json | undefined }): string => textOf(model) ?? DEFAULT_MODEL;

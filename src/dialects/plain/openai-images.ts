/** OpenAI's pictures: drawn from a text, drawn anew from pictures, varied. The last two come as forms. */

import {
  type AskedDrawing,
  drawingTokens,
  drawsTokens,
  mostDrawingTokens,
} from '../../core/drawing-tokens.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { pictureFactor } from '../../core/picture-price.ts';
import type { Picture } from '../../core/picture-tokens.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import type { BodyRules, CallersDialect } from '../body-rules.ts';
import { choicesIn, flagIn, integerIn, isAbsent, modelIn, refuse, wrong } from '../bounds.ts';
import type { Counted, Dialect, PathFacts, RequestFacts } from '../dialect.ts';
import { textOf } from '../fields.ts';
import { checkPictures, checkWebAddress } from '../media.ts';
import { each, either, LABEL, list, object, reads, TEXT } from '../other-texts.ts';
import {
  EventTap,
  PLAIN_SETTINGS,
  plainDialect,
  plainFacts,
  plainReply,
  plainRules,
  promptOf,
  type TypedEvents,
} from './plain.ts';
import { readImageCounts } from './usage.ts';

const DEFAULT_MODEL = 'dall-e-2';

// ---- Prices ------------------------------------------------------------------------------------------------------

/** Where only a ratio prices a picture, it counts as so many tokens: $0.0025 times the ratio. */
const TOKENS_A_PICTURE = 1250;

/** Where a vendor has no word for the size, it is said by the `resolution`. */
const drawingOf = ({ size, resolution, quality, partial_images }: JsonObject): AskedDrawing => ({
  size: textOf(size) ?? textOf(resolution),
  quality: textOf(quality),
  partial: typeof partial_images === 'number' ? partial_images : undefined,
});

const factorOf = (model: string, { size, quality }: JsonObject): number =>
  pictureFactor(model, { size: textOf(size), quality: textOf(quality) });

const tokensOfCall = (model: string, body: JsonObject): number =>
  Math.ceil(TOKENS_A_PICTURE * factorOf(model, body));

function usageOf({ body, model, facts, input, calls }: Counted): Usage {
  const drawing = facts.drawing ?? {};
  const drawn = [model, facts.model].filter(drawsTokens).map((name) => drawingTokens(name, drawing));
  if (drawn.length > 0) return { ...noUsage(), input, outputImage: Math.max(...drawn) * calls };
  return { ...noUsage(), input: tokensOfCall(facts.model, body) * calls };
}

// ---- Requests ----------------------------------------------------------------------------------------------------

/** Fields of forms are texts. */
function formValues(body: JsonObject): JsonObject {
  const copy = { ...body };
  for (const field of ['n', 'partial_images', 'output_compression']) {
    const text = textOf(copy[field]);
    if (text !== undefined && /^\d{1,9}$/.test(text)) copy[field] = Number(text);
  }
  if (copy.stream === 'true' || copy.stream === 'false') copy.stream = copy.stream === 'true';
  return copy;
}

/** Of how a picture is to be: `1024x1792`, `hd`, `2K`. */
const WORD_CHARS_MAX = 32;

function factsOf(given: JsonObject, path: PathFacts, images: readonly Picture[]): RequestFacts {
  const body = formValues(given);
  const model = modelIn(path.model ?? body.model ?? DEFAULT_MODEL);
  const stream = flagIn(body.stream, 'stream');
  const calls = choicesIn(body.n, 'n');
  integerIn(body.partial_images, 'partial_images', 0, 10);
  for (const field of ['size', 'quality', 'resolution']) {
    const value = body[field];
    if (isAbsent(value)) continue;
    if (typeof value !== 'string') throw refuse(field, wrong.string);
    if (value.length > WORD_CHARS_MAX) throw refuse(field, wrong.long);
  }
  const { image, images: listed, image_url, image_urls, mask } = body;
  checkPictures({ image, images: listed, image_url, image_urls, mask }, checkWebAddress);
  const counted = drawsTokens(model) ? 0 : tokensOfCall(model, body) * calls;
  const drawing = drawingOf(body);
  return plainFacts(model, {
    stream,
    outputCap: mostDrawingTokens(model, drawing),
    drawing,
    choices: calls,
    prompt: { ...promptOf(promptTexts(body), counted), images: [...images] },
    calls,
    callFactor: factorOf(model, body),
    noted: notedOf(body),
  });
}

const notedOf = (body: JsonObject): JsonObject =>
  Object.fromEntries(
    ['size', 'quality'].flatMap((field) => {
      const value = textOf(body[field]);
      return value === undefined ? [] : [[field, value]];
    }),
  );

const promptTexts = ({ prompt }: JsonObject): string[] => (typeof prompt === 'string' ? [prompt] : []);

function requirePrompt({ prompt }: JsonObject): void {
  if (isAbsent(prompt) || prompt === '') throw refuse('prompt', wrong.missing);
  if (typeof prompt !== 'string') throw refuse('prompt', wrong.string);
}

const PICTURE: Picture = { detail: 'auto' };

/** What the part of a form is called that is a picture to be worked on; forms of several name them as lists. */
export const isPicturePart = (name: string): boolean => /^image(\[\d*\])?$/.test(name);

/** The pictures of a form, or those that a request of JSON names. */
function picturesIn(body: JsonObject, { files = [] }: PathFacts, isForm: boolean): Picture[] {
  const [other] = files.filter(({ name }) => name !== 'mask' && !isPicturePart(name));
  if (other) throw refuse(other.name, wrong.otherFile);
  const count = isForm ? files.length : Array.isArray(body.images) ? body.images.length : 0;
  if (count === 0) throw refuse('image', wrong.missing);
  return Array.from({ length: count }, () => PICTURE);
}

// ---- Answers -----------------------------------------------------------------------------------------------------

/** A picture by its address or its bytes; in the place of one that it could not draw, Ark has an error. */
const isPicture = (given: Json | undefined): boolean =>
  isObject(given)
    ? [given.url, given.b64_json].some((value) => typeof value === 'string' && value !== '')
    : typeof given === 'string' && given !== '';

const showsPicture = (type: string, event: JsonObject): boolean =>
  !type.endsWith('.partial_image') && isPicture(event);

/**
 * OpenAI ends with the picture; Ark has an event for each of a series, also for those that it could not draw, and ends with
 * the usage alone, or not even that where it could draw no more.
 */
const EVENTS: TypedEvents = {
  content: (type) => type.endsWith('.partial_image') || type.endsWith('.partial_succeeded'),
  last: (type) => type.endsWith('.completed'),
  usage: ({ usage }) => readImageCounts(usage),
  picture: showsPicture,
  lost: (type) => type.endsWith('.partial_failed'),
  endsMarked: showsPicture,
};

const PLACE = either(
  TEXT,
  object(reads(['type', 'url', 'file_id', 'b64_json'], { image_url: either(TEXT, object(reads(['url']))) })),
);
/** Of a form every value is a text; pictures are media wherever vendors keep them. */
const DRAWING = reads(['prompt'], {
  ...PLAIN_SETTINGS,
  ...each(
    [
      'n',
      'size',
      'quality',
      'style',
      'background',
      'moderation',
      'output_format',
      'output_compression',
      'input_fidelity',
      'partial_images',
      'aspect_ratio',
      'resolution',
      'seed',
      'watermark',
    ],
    LABEL,
  ),
  ...each(['image', 'image[]', 'images', 'image_url', 'image_urls', 'mask'], either(PLACE, list(PLACE))),
});

/** A picture is as large as its `size` says; those who have no such word say its shape, and how large it is, in these. */
const RULES: BodyRules = {
  ...plainRules(['n']),
  draws: true,
  yields: { aspect_ratio: 'size', resolution: 'size' },
};

const shared = {
  rules: RULES,
  reads: DRAWING,
  promptTexts,
  usageOf,
  readReply: ((body) =>
    plainReply(body, ({ data, images, usage }) => {
      const given = Array.isArray(data) ? data : images;
      const pictures = Array.isArray(given) ? given.filter(isPicture).length : 0;
      return { usage: readImageCounts(usage), missing: pictures > 0 ? null : 'pictures', pictures };
    })) satisfies Dialect['readReply'],
  tap: () => new EventTap(EVENTS),
};

export const openaiImages: CallersDialect = plainDialect({
  ...shared,
  readRequest(body, path) {
    requirePrompt(body);
    return factsOf(body, path, []);
  },
});

export const openaiImageEdits: CallersDialect = plainDialect({
  ...shared,
  readRequest(body, path) {
    requirePrompt(body);
    return factsOf(body, path, picturesIn(body, path, path.files !== undefined));
  },
});

export const openaiImageVariations: CallersDialect = plainDialect({
  ...shared,
  readRequest: (body, path) => factsOf(body, path, picturesIn(body, path, true)),
});

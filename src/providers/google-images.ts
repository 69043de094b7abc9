/** Google's pictures: Imagen by prediction, Gemini's own models by a chat that may answer with pictures. */
import { fail } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { compact, countOf, objectOf, objectsOf, textOf } from '../dialects/fields.ts';
import { nothingMade, partsIn } from './google.ts';
import type { UpstreamCall } from './provider.ts';
import { finishJson, picturesAnswer } from './vendor-operation.ts';

const isImagen = (model: string): boolean => model.startsWith('imagen');

export const imageAction = (model: string): string => (isImagen(model) ? 'predict' : 'generateContent');

/** Ratios that stand for OpenAI's sizes; some of those have no exact one. */
const RATIOS: Readonly<Record<string, string>> = {
  '1024x1024': '1:1',
  '1024x1792': '9:16',
  '1792x1024': '16:9',
  '1536x1024': '4:3',
  '1024x1536': '3:4',
};

export function writeImages(asked: JsonObject, { model }: Pick<UpstreamCall, 'model'>): JsonObject {
  const prompt = textOf(asked.prompt) ?? '';
  const aspectRatio = RATIOS[textOf(asked.size) ?? ''];
  if (isImagen(model)) {
    return {
      instances: [{ prompt }],
      parameters: compact({
        sampleCount: asked.n ?? 1,
        aspectRatio,
        personGeneration: 'allow_adult',
      }),
    };
  }
  if ((countOf(asked.n) ?? 0) > 1) {
    throw fail('invalid_request', {
      field: 'n',
      params: { reason: { zh: '此模型一次只画一张图', en: 'this model draws one picture at a time' } },
    });
  }
  return {
    contents: [{ role: 'user', parts: [{ text: prompt }] }],
    generationConfig: compact({
      responseModalities: ['TEXT', 'IMAGE'],
      imageConfig: aspectRatio === undefined ? undefined : { aspectRatio },
    }),
  };
}

/** What a picture of Imagen counts as, which tells no usage. */
const TOKENS_A_PICTURE = 258;

/** `text` is what of the output is no picture: words, and thoughts. */
const usage = (input: number, output: number, text = 0): JsonObject => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
  ...(text > 0 && { output_tokens_details: { text_tokens: text, image_tokens: output - text } }),
});

function readPredictions(body: JsonObject): { pictures: string[]; used: JsonObject } {
  const pictures = objectsOf(body.predictions)
    .map(({ bytesBase64Encoded: bytes }) => textOf(bytes) ?? '')
    .filter(Boolean);
  return { pictures, used: usage(TOKENS_A_PICTURE * pictures.length, 0) };
}

function readCandidates(body: JsonObject): { pictures: string[]; used: JsonObject } {
  const parts = partsIn(body);
  const counts = objectOf(body.usageMetadata) ?? {};
  const said = countOf(counts.candidatesTokenCount) ?? 0;
  const thoughts = countOf(counts.thoughtsTokenCount) ?? 0;
  const drawn = objectsOf(counts.candidatesTokensDetails)
    .filter(({ modality }) => modality === 'IMAGE')
    .reduce((sum, { tokenCount }) => sum + (countOf(tokenCount) ?? 0), 0);
  // Where nothing tells what was drawn, all that was not thought was.
  const text = drawn > 0 ? Math.max(said - drawn, 0) : 0;
  return {
    pictures: parts.map(({ inlineData }) => textOf(objectOf(inlineData)?.data) ?? '').filter(Boolean),
    used: usage(countOf(counts.promptTokenCount) ?? 0, said + thoughts, text + thoughts),
  };
}

export const finishImages = finishJson((body, call, ask) => {
  const { pictures, used } = isImagen(call.model) ? readPredictions(body) : readCandidates(body);
  if (pictures.length === 0) return nothingMade(body, 'picture');
  return picturesAnswer(
    pictures.map((picture) => ({ b64_json: picture })),
    call,
    ask,
    { usage: used },
  );
});

/** OpenAI's moderations. It counts nothing; what its price is due for is counted here. */

import type { JsonObject } from '../../core/json.ts';
import { mediaTokens } from '../../core/media-tokens.ts';
import type { CallersDialect } from '../body-rules.ts';
import { isAbsent, modelIn, refuse, wrong } from '../bounds.ts';
import type { PathFacts, RequestFacts } from '../dialect.ts';
import { objectOf, objectsOf } from '../fields.ts';
import { measureSource } from '../measure.ts';
import { checkPictures, checkWebAddress, sourceIn } from '../media.ts';
import { readUsage } from '../openai-chat/usage.ts';
import { either, list, NUMBERS, object, reads, TEXT } from '../other-texts.ts';
import { tokensUsage } from './embedding.ts';
import { listed, PLAIN_SETTINGS, plainDialect, plainFacts, plainReply, promptOf } from './plain.ts';
import { readInputs, textsOf } from './text-input.ts';

const DEFAULT_MODEL = 'omni-moderation-latest';

const promptTexts = (body: JsonObject): string[] => readInputs(body.input, 'input', textsOf).texts;

function readRequest(body: JsonObject, path: PathFacts): RequestFacts {
  const model = modelIn(path.model ?? body.model ?? DEFAULT_MODEL);
  if (isAbsent(body.input)) throw refuse('input', wrong.missing);
  checkPictures(body.input, checkWebAddress);
  const prompt = promptOf(promptTexts(body));
  for (const { type, image_url: image } of objectsOf(body.input)) {
    if (type === 'image_url')
      measureSource(prompt, sourceIn(objectOf(image)?.url ?? image, 'image/png'), 'image');
  }
  return plainFacts(model, { prompt });
}

/** A picture is one by its type alone. */
const readsOfInput = ({ type }: JsonObject) => (type === 'image_url' ? PICTURE : reads(['type', 'text']));
const PICTURE = reads(['type', 'text'], { image_url: either(TEXT, object(reads(['url', 'detail']))) });

export const openaiModerations: CallersDialect = plainDialect({
  reads: reads([], {
    ...PLAIN_SETTINGS,
    input: either(TEXT, list(either(TEXT, NUMBERS, object(readsOfInput)))),
  }),
  readRequest,
  promptTexts,
  usageOf({ input, model, facts }) {
    const { imageTokens, fileTokens } = mediaTokens(model, facts.prompt);
    return tokensUsage(input + imageTokens + fileTokens);
  },
  readReply: (body) =>
    plainReply(body, ({ results, usage }) => ({
      usage: readUsage(usage),
      ...listed(results, 'results'),
    })),
});

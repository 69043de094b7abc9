/** OpenAI's moderations. It counts nothing; what its price is due for is counted here. */

import type { JsonObject } from '../../core/json.ts';
import type { Picture } from '../../core/picture-tokens.ts';
import type { CallersDialect } from '../body-rules.ts';
import { isAbsent, modelIn, refuse, wrong } from '../bounds.ts';
import type { PathFacts, RequestFacts } from '../dialect.ts';
import { objectsOf } from '../fields.ts';
import { checkPictures } from '../media.ts';
import { readUsage } from '../openai-chat/usage.ts';
import { reads } from '../other-texts.ts';
import { tokensUsage } from './embedding.ts';
import { PLAIN_SETTINGS, plainDialect, plainFacts, plainReply, promptOf } from './plain.ts';
import { readInputs } from './text-input.ts';

const DEFAULT_MODEL = 'omni-moderation-latest';

const imagesIn = ({ input }: JsonObject): Picture[] =>
  objectsOf(input).flatMap(({ type }) => (type === 'image_url' ? [{ detail: 'auto' as const }] : []));

const promptTexts = (body: JsonObject): string[] => readInputs(body.input, 'input').texts;

function readRequest(body: JsonObject, path: PathFacts): RequestFacts {
  const model = modelIn(path.model ?? body.model ?? DEFAULT_MODEL);
  if (isAbsent(body.input)) throw refuse('input', wrong.missing);
  checkPictures(body.input);
  const prompt = { ...promptOf(promptTexts(body)), images: imagesIn(body) };
  return plainFacts(model, { prompt });
}

export const openaiModerations: CallersDialect = plainDialect({
  reads: reads(
    PLAIN_SETTINGS,
    { input: reads(['type', 'text'], { image_url: reads(['url', 'detail']) }, ['image_url']) },
    ['input'],
  ),
  readRequest,
  promptTexts,
  usageOf: ({ input }) => tokensUsage(input),
  readReply: (body) =>
    plainReply(body, ({ results, usage }) => ({
      usage: readUsage(usage),
      missing: Array.isArray(results) ? null : 'results',
    })),
});

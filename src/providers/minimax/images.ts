/** MiniMax's pictures. */
import type { JsonObject } from '../../core/json.ts';
import { compact, objectOf, textOf } from '../../dialects/fields.ts';
import { finishJson, picturesAnswer, pixelsOf, type VendorOperation } from '../vendor-operation.ts';
import { readBase, refusalOf } from './errors.ts';

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.flatMap((each) => textOf(each) || []) : [];

function write(asked: JsonObject): JsonObject {
  const [width, height] = pixelsOf(asked.size);
  return compact({
    model: asked.model,
    prompt: asked.prompt,
    n: asked.n ?? 1,
    aspect_ratio: asked.aspect_ratio,
    width,
    height,
    response_format: asked.response_format === 'b64_json' ? 'base64' : 'url',
    prompt_optimizer: asked.prompt_optimizer,
  });
}

export const images: VendorOperation = {
  path: () => '/v1/image_generation',
  write,
  finish: finishJson((body, call, ask) => {
    if (readBase(body)) return refusalOf(body);
    const { image_urls: urls, image_base64: bytes } = objectOf(body.data) ?? {};
    const pictures = [
      ...texts(urls).map((url) => ({ url })),
      ...texts(bytes).map((picture) => ({ b64_json: picture })),
    ];
    return picturesAnswer(pictures, call, ask);
  }),
};

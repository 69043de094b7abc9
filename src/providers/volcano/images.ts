/** Ark's pictures. It draws them anew by the call that draws them, given the old ones. */
import type { JsonObject } from '../../core/json.ts';
import { compact } from '../../dialects/fields.ts';
import type { UpstreamCall } from '../provider.ts';
import {
  dataUrlOf,
  jsonPayload,
  picturesOf,
  pictureUrls,
  type VendorOperation,
} from '../vendor-operation.ts';

/** Its models draw one picture, these a series of several where they are asked to (Ark's reference of its pictures). */
const DRAWS_SERIES = /seedream-[4-9](?!.*pro)/;

/** How many it may draw at most; nothing for the one that it draws anyway. */
export function seriesOf(
  count: unknown,
  { model, requested }: Pick<UpstreamCall, 'model' | 'requested'>,
): JsonObject {
  const most = Number(count ?? 1);
  if (most <= 1 || !(DRAWS_SERIES.test(model) || DRAWS_SERIES.test(requested))) return {};
  return {
    sequential_image_generation: 'auto',
    sequential_image_generation_options: { max_images: most },
  };
}

/** One, or a list of several. */
const imageOf = (pictures: readonly string[]): JsonObject['image'] =>
  pictures.length === 1 ? pictures[0] : [...pictures];

export const imageEdits: VendorOperation = {
  path: () => '/api/v3/images/generations',
  write({ images, ...asked }, call) {
    if (call.form) return asked;
    return { ...asked, image: imageOf(pictureUrls({ images })), ...seriesOf(asked.n, call) };
  },
  async upload(call, form) {
    const { asked, model } = call;
    const pictures = await Promise.all(picturesOf(form).map((file) => dataUrlOf(file, form)));
    const { prompt, size, response_format, seed, watermark } = asked;
    return jsonPayload(
      compact({
        model,
        prompt,
        image: imageOf(pictures),
        size,
        response_format,
        seed: seed === undefined ? undefined : Number(seed),
        watermark: watermark === undefined ? undefined : watermark === 'true',
        ...seriesOf(asked.n, call),
      }),
    );
  },
};

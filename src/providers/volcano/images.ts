/** Ark draws pictures anew by the call that draws them, given the old ones. */
import { dataUrlOf, jsonPayload, picturesOf, type VendorOperation } from '../vendor-operation.ts';
import { present } from '../vendor-wire.ts';

export const imageEdits: VendorOperation = {
  path: () => '/api/v3/images/generations',
  async upload({ asked, model }, form) {
    const pictures = await Promise.all(picturesOf(form).map((file) => dataUrlOf(file, form)));
    const { prompt, size, response_format, seed, watermark } = asked;
    return jsonPayload(
      present({
        model,
        prompt,
        image: pictures.length === 1 ? pictures[0] : pictures,
        size,
        response_format,
        seed: seed === undefined ? undefined : Number(seed),
        watermark: watermark === undefined ? undefined : watermark === 'true',
      }),
    );
  },
};

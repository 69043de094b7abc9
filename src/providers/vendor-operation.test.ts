import { expect, it } from 'bun:test';
import { picturesOf } from './vendor-operation.ts';

it('takes every part for a picture that a form may name one by, and the mask for none', () => {
  const files = ['image', 'image[]', 'image[0]', 'image[12]', 'mask'].map((name) => ({
    ...{ name, filename: 'a.png', type: 'image/png', bytes: 1, seconds: null, heldSeconds: null },
  }));
  const form = { files, bytesOf: async () => new Uint8Array(1) };
  expect(picturesOf(form).map(({ name }) => name)).toEqual(['image', 'image[]', 'image[0]', 'image[12]']);
});

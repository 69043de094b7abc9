import { expect, it } from 'bun:test';
import { voyageRanks } from './voyage.ts';

const ask = { query: 'q', documents: ['a', 'b'] };
const write = (body: object, baseUrl: string) =>
  voyageRanks.write?.({ ...body }, { channel: { baseUrl } } as never);

it.each([
  ['https://api.voyageai.com', { ...ask, top_n: 1 }, { ...ask, top_k: 1 }],
  ['https://api.voyageai.com', { ...ask, top_n: 1, top_k: 2 }, { ...ask, top_k: 2 }],
  ['https://api.voyageai.com.', { ...ask, top_k: 2 }, { ...ask, top_k: 2 }],
  ['https://gateway.example', { ...ask, top_n: 1 }, { ...ask, top_n: 1 }],
])('the best so many have their word: %s %o', (baseUrl, body, sent) => {
  expect(write(body, baseUrl)).toEqual(sent);
});

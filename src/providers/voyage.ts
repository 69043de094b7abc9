/** Voyage's ranks. It has the address and the words of OpenAI's type, but for the name of its results and of how many. */
import { urlOf } from '../core/url.ts';
import { objectsOf } from '../dialects/fields.ts';
import { rename } from './openai-compatible.ts';
import { finishJson, type VendorOperation } from './vendor-operation.ts';

const isVoyages = (baseUrl: string): boolean =>
  urlOf(baseUrl)?.hostname.replace(/\.$/, '') === 'api.voyageai.com';

/** For every channel of that type: its answers come through gateways as well (docs.voyageai.com/reference/reranker-api). */
export const voyageRanks: VendorOperation = {
  path: () => '/v1/rerank',
  write(body, { channel }) {
    if (isVoyages(channel.baseUrl)) rename(body, 'top_n', 'top_k');
    return body;
  },
  finish: finishJson(({ data, ...rest }) => {
    const isRanks =
      rest.results === undefined &&
      objectsOf(data).some(({ relevance_score: score }) => typeof score === 'number');
    if (data === undefined) return rest;
    return { ...rest, [isRanks ? 'results' : 'data']: data };
  }),
};

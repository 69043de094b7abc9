/** Hunyuan's call for embeddings. */

import { countOf, objectOf, objectsOf } from '../../dialects/fields.ts';
import { tokensUsage } from '../../dialects/plain/embedding.ts';
import { vendorEmbeddings } from '../vendor-operation.ts';

export const tencentEmbeddings = vendorEmbeddings({
  writeRequest: ({ texts }) => ({ InputList: [...texts] }),
  readReply(body) {
    const { Data, Usage } = objectOf(body.Response) ?? {};
    if (!Array.isArray(Data)) return null;
    const rows = objectsOf(Data).sort((a, b) => (countOf(a.Index) ?? 0) - (countOf(b.Index) ?? 0));
    const counts = objectOf(Usage) ?? {};
    return {
      vectors: rows.map(({ Embedding }) => (Array.isArray(Embedding) ? Embedding.map(Number) : [])),
      usage: counts.TotalTokens === undefined ? null : tokensUsage(countOf(counts.TotalTokens) ?? 0),
    };
  },
});

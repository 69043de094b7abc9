/** Hunyuan's call for embeddings. */
import { tokensUsage } from '../../dialects/plain/embedding.ts';
import { vendorEmbeddings } from '../vendor-operation.ts';
import { count, list, object } from '../vendor-wire.ts';

export const tencentEmbeddings = vendorEmbeddings({
  writeRequest: ({ texts }) => ({ InputList: [...texts] }),
  readReply(body) {
    const { Data, Usage } = object(body.Response);
    if (!Array.isArray(Data)) return null;
    const rows = list(Data).sort((a, b) => count(a.Index) - count(b.Index));
    const counts = object(Usage);
    return {
      vectors: rows.map(({ Embedding }) => (Array.isArray(Embedding) ? Embedding.map(Number) : [])),
      usage: counts.TotalTokens === undefined ? null : tokensUsage(count(counts.TotalTokens)),
    };
  },
});

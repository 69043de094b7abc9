/** MiniMax's call for embeddings. */
import type { JsonObject } from '../../core/json.ts';
import { countOf } from '../../dialects/fields.ts';
import { tokensUsage } from '../../dialects/plain/embedding.ts';
import { vendorEmbeddings } from '../vendor-operation.ts';

export const minimaxEmbeddings = vendorEmbeddings({
  writeRequest: ({ model, texts, taskType }): JsonObject => ({
    model,
    texts: [...texts],
    // A text is stored, or it asks for what is stored.
    type: taskType === 'RETRIEVAL_QUERY' ? 'query' : 'db',
  }),
  readReply: ({ vectors, total_tokens: total }) =>
    Array.isArray(vectors)
      ? {
          vectors: vectors.map((vector) => (Array.isArray(vector) ? vector.map(Number) : [])),
          usage: total === undefined ? null : tokensUsage(countOf(total) ?? 0),
        }
      : null,
});

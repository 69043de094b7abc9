/** DashScope's call for ranks. */
import type { JsonObject } from '../../core/json.ts';
import { tokensUsage } from '../../dialects/plain/embedding.ts';
import { vendorRerank } from '../vendor-operation.ts';
import { count, list, object, text } from '../vendor-wire.ts';

export const alibabaRerank = vendorRerank({
  writeRequest: ({ model, query, documents, topN, returnDocuments }): JsonObject => ({
    model,
    input: {
      query,
      documents: documents.map((document) =>
        typeof document === 'string' ? document : text(object(document).text) || JSON.stringify(document),
      ),
    },
    parameters: { ...(topN === undefined ? {} : { top_n: topN }), return_documents: returnDocuments },
  }),
  readReply(body) {
    const { results } = object(body.output);
    if (!Array.isArray(results)) return null;
    const total = object(body.usage).total_tokens;
    return {
      results: list(results).map(({ index, relevance_score: score, document }) => ({
        index: count(index),
        score: typeof score === 'number' ? score : 0,
        ...(text(object(document).text) ? { document: { text: text(object(document).text) } } : {}),
      })),
      usage: total === undefined ? null : tokensUsage(count(total)),
    };
  },
});

/** DashScope's call for ranks. */
import type { JsonObject } from '../../core/json.ts';
import { countOf, objectOf, objectsOf, textOf } from '../../dialects/fields.ts';
import { tokensUsage } from '../../dialects/plain/embedding.ts';
import { vendorRerank } from '../vendor-operation.ts';

export const alibabaRerank = vendorRerank({
  writeRequest: ({ model, query, documents, topN, returnDocuments }): JsonObject => ({
    model,
    input: {
      query,
      documents: documents.map((document) =>
        typeof document === 'string'
          ? document
          : textOf(objectOf(document)?.text) || JSON.stringify(document),
      ),
    },
    parameters: { ...(topN === undefined ? {} : { top_n: topN }), return_documents: returnDocuments },
  }),
  readReply(body) {
    const { results } = objectOf(body.output) ?? {};
    if (!Array.isArray(results)) return null;
    const total = objectOf(body.usage)?.total_tokens;
    return {
      results: objectsOf(results).map(({ index, relevance_score: score, document }) => ({
        index: countOf(index) ?? 0,
        score: typeof score === 'number' ? score : 0,
        ...documentOf(textOf(objectOf(document)?.text)),
      })),
      usage: total === undefined ? null : tokensUsage(countOf(total) ?? 0),
    };
  },
});

const documentOf = (text: string | undefined) => (text ? { document: { text } } : {});

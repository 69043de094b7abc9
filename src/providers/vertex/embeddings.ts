/** Vertex's embeddings, which are predictions. */

import { compact, countOf, objectOf, objectsOf } from '../../dialects/fields.ts';
import { tokensUsage } from '../../dialects/plain/embedding.ts';
import { vendorEmbeddings } from '../vendor-operation.ts';

export const vertexEmbeddings = vendorEmbeddings({
  writeRequest: ({ texts, dimensions, taskType, title }) => ({
    instances: texts.map((content) => compact({ content, task_type: taskType, title })),
    ...(dimensions === undefined ? {} : { parameters: { outputDimensionality: dimensions } }),
  }),
  readReply({ predictions }) {
    if (!Array.isArray(predictions)) return null;
    const rows = objectsOf(predictions).map(({ embeddings }) => objectOf(embeddings) ?? {});
    const tokens = rows.reduce(
      (sum, { statistics }) => sum + (countOf(objectOf(statistics)?.token_count) ?? 0),
      0,
    );
    return {
      vectors: rows.map(({ values }) => (Array.isArray(values) ? values.map(Number) : [])),
      usage: tokens > 0 ? tokensUsage(tokens) : null,
    };
  },
});
